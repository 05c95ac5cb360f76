#include "nif/job.h"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <new>
#include <span>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "nif/reply.h"
#include "nif/resource_type.h"

namespace kem::nif {
namespace {

static_assert(std::is_trivially_destructible_v<JobResource>);

struct ResourceReleaser {
  void operator()(JobResource* job) const { enif_release_resource(job); }
};
using JobReference = std::unique_ptr<JobResource, ResourceReleaser>;

// Outputs up to this size are made on the message's own heap, larger ones as binaries that the VM counts
// references to (the VM's own boundary).
constexpr size_t kHeapBinary = 64;

// Fresh memory costs a page fault every 4 KiB, which takes longer than copying into it; huge pages, every 2 MiB.
void ask_for_huge_pages(uint8_t* memory, size_t size) {
  constexpr uintptr_t kHugePage = uintptr_t{2} << 20;
  const auto address = reinterpret_cast<uintptr_t>(memory);
  const uintptr_t begin = (address + kHugePage - 1) / kHugePage * kHugePage;
  const uintptr_t end = (address + size) / kHugePage * kHugePage;
  if (begin < end) madvise(memory + (begin - address), end - begin, MADV_HUGEPAGE);  // advice: it may be refused
}

// What a job's result holds.
enum class Answer {
  Output,   // {ok, Binary}
  Outputs,  // {ok, [Binary]}
  Value,    // {ok, Term}, known beforehand
  Nothing,  // ok
};

struct Expected {
  Answer answer = Answer::Output;
  bool report = false;
  ERL_NIF_TERM value = 0;  // in the client's terms
  bool light = false;      // the terms are so small that they may go along with the message
};

class ProcessClient final : public core::Client, public Recycled {
 public:
  // On the submitter's thread.
  ProcessClient(const Atoms& atoms, const Outputs& lends, JobReference job, Env terms, ERL_NIF_TERM ref,
                const Expected& expected)
      : atoms_(atoms),
        lends_(lends),
        job_(std::move(job)),
        terms_(std::move(terms)),
        ref_(ref),
        expected_(expected),
        submitter_(std::this_thread::get_id()) {}

  ~ProcessClient() override {
    if (output_.size != 0) enif_release_binary(&output_);
    for (Another& output : outputs_) {
      if (output.lent == nullptr) enif_release_binary(&output.binary);
    }
    job_->holder = nullptr;
    enif_demonitor_process(in_submission() ? job_->landing->env : nullptr, job_.get(), &job_->monitor);
  }
  ProcessClient(const ProcessClient&) = delete;
  ProcessClient& operator=(const ProcessClient&) = delete;

  std::span<uint8_t> allocate_output(size_t bytes) override {
    if (expected_.answer == Answer::Outputs) return allocate_another(bytes);
    if (bytes <= kHeapBinary) return std::span(small_output_).first(small_size_ = bytes);
    if (!enif_alloc_binary(bytes, &output_)) {
      output_.size = 0;
      return {};
    }
    ask_for_huge_pages(output_.data, output_.size);
    return {output_.data, output_.size};
  }

  std::shared_ptr<const void> lender() override {
    kept_ = std::make_shared<Kept>();
    kept_->terms = std::move(terms_);
    return kept_;
  }

  const Pages* lend_output(size_t bytes, PageContent content) override {
    Output output = lends_.make(bytes, content);
    if (output == nullptr) return nullptr;
    OutputResource* const lent = kept_->outputs.emplace_back(std::move(output)).get();
    if (expected_.answer == Answer::Outputs) {
      outputs_.push_back({{}, lent});
    } else {
      lent_ = lent;
    }
    return &pages_of(*lent);
  }

  void done(Result<core::Report> result) noexcept override {
    JobState running = JobState::Running;
    if (!job_->state.compare_exchange_strong(running, JobState::Sending)) return;
    if (in_submission()) {
      job_->landing->result = encode(job_->landing->env, result);
    } else {
      send(result);
    }
    job_->state = JobState::Sent;
  }

 private:
  // What the device may go on using after the client's end.
  struct Kept {
    Env terms;
    std::vector<Output> outputs;
  };
  // One of several outputs.
  struct Another {
    ErlNifBinary binary;
    OutputResource* lent;  // of `kept_`, in place of the binary; null: none
  };

  std::span<uint8_t> allocate_another(size_t bytes) {
    outputs_.reserve(outputs_.size() + 1);
    ErlNifBinary output;
    if (!enif_alloc_binary(bytes, &output)) return {};
    ask_for_huge_pages(output.data, output.size);
    outputs_.push_back({output, nullptr});
    return {output.data, output.size};
  }

  // Making another environment takes longer than all else here.
  void send(const Result<core::Report>& result) {
    const bool reuse = expected_.light && kept_ == nullptr;
    Env message = reuse ? std::move(terms_) : make_env();
    const ERL_NIF_TERM ref = reuse ? ref_ : enif_make_copy(message.get(), ref_);
    const ERL_NIF_TERM term = encode(message.get(), result);
    send_result(job_->owner, std::move(message), atoms_, ref, term);
  }

  bool in_submission() const { return std::this_thread::get_id() == submitter_ && job_->landing != nullptr; }

  ERL_NIF_TERM encode(ErlNifEnv* env, const Result<core::Report>& result) {
    if (!result) return encode_error(env, atoms_, result.error());
    if (expected_.answer == Answer::Nothing) return atoms_.ok;
    ERL_NIF_TERM output = encode_value(env);
    if (!expected_.report) return enif_make_tuple2(env, atoms_.ok, output);
    return enif_make_tuple3(env, atoms_.ok, output, encode_report(env, atoms_, *result));
  }

  ERL_NIF_TERM encode_value(ErlNifEnv* env) {
    if (expected_.answer == Answer::Value) return enif_make_copy(env, expected_.value);
    return expected_.answer == Answer::Outputs ? encode_outputs(env) : encode_output(env);
  }

  ERL_NIF_TERM encode_outputs(ErlNifEnv* env) {
    ERL_NIF_TERM list = enif_make_list(env, 0);
    for (; !outputs_.empty(); outputs_.pop_back()) {
      Another& last = outputs_.back();
      // The latter takes the memory.
      list = enif_make_list_cell(
          env, last.lent != nullptr ? make_output_term(env, *last.lent) : enif_make_binary(env, &last.binary), list);
    }
    return list;
  }

  ERL_NIF_TERM encode_output(ErlNifEnv* env) {
    if (lent_ != nullptr) return make_output_term(env, *lent_);
    if (output_.size != 0) {
      ERL_NIF_TERM output = enif_make_binary(env, &output_);  // takes the memory
      output_.size = 0;
      return output;
    }
    return encode_binary(env, {reinterpret_cast<const char*>(small_output_.data()), small_size_});
  }

  const Atoms& atoms_;
  const Outputs& lends_;
  JobReference job_;
  Env terms_;                   // the ref and the binaries that the job reads, until they are
  std::shared_ptr<Kept> kept_;  // here
  ERL_NIF_TERM ref_;
  Expected expected_;
  std::thread::id submitter_;
  std::array<uint8_t, kHeapBinary> small_output_{};
  size_t small_size_ = 0;
  ErlNifBinary output_{};           // size 0: none
  OutputResource* lent_ = nullptr;  // of `kept_`; null: none
  std::vector<Another> outputs_;
};

void job_down(ErlNifEnv*, void* object, ErlNifPid*, ErlNifMonitor*) {
  auto& job = *static_cast<JobResource*>(object);
  if (job.code == code_tag()) cancel_job(job, job.owner);
}

// The binary's bytes in `terms`, where they live as long as the environment does.
std::span<const uint8_t> keep_binary(ErlNifEnv* terms, ERL_NIF_TERM binary) {
  ErlNifBinary kept;
  enif_inspect_binary(terms, enif_make_copy(terms, binary), &kept);
  return {kept.data, kept.size};
}

}  // namespace

const void* code_tag() {
  static const char tag = 0;
  return &tag;
}

ErlNifResourceType* open_job_type(ErlNifEnv* env) {
  ErlNifResourceTypeInit callbacks{};
  callbacks.down = job_down;
  return open_resource_type(env, "kem_job", callbacks);
}

namespace {

struct Submission {
  ErlNifEnv* env;
  const Atoms& atoms;
  const EngineHolder::Use& engine;
  const JobMemory& memory;
  ERL_NIF_TERM ref;
};

// Makes the handle and the client and lets `start` give the client to the engine. `terms` keeps what the job reads.
template <class Start>
Result<Submitted> submit(const Submission& s, Env terms, const Expected& expected, std::chrono::milliseconds time_limit,
                         Start start) {
  void* memory = enif_alloc_resource(s.memory.type, sizeof(JobResource));
  if (memory == nullptr) return fail(ErrorClass::OutOfMemory, "no memory for the job");
  JobReference job(new (memory) JobResource);
  JobResource& resource = *job;
  ERL_NIF_TERM handle = enif_make_resource(s.env, &resource);  // keeps the resource alive through this function
  resource.code = code_tag();
  resource.holder = &s.engine.holder();
  enif_self(s.env, &resource.owner);
  enif_monitor_process(s.env, &resource, &resource.owner, &resource.monitor);

  ERL_NIF_TERM kept_ref = enif_make_copy(terms.get(), s.ref);
  std::unique_ptr<ProcessClient> client(new (s.engine.holder().memory()) ProcessClient(
      s.atoms, s.memory.outputs, std::move(job), std::move(terms), kept_ref, expected));
  Landing landing{s.env};
  resource.landing = &landing;
  Result<core::JobId> id = start(std::move(client));
  resource.landing = nullptr;
  KEM_TRY(resource.id, std::move(id));
  const auto limit = time_limit.count() != 0 ? time_limit : s.engine.limits().job_time;
  return Submitted{handle, limit, landing.result};
}

}  // namespace

Result<Submitted> submit_job(ErlNifEnv* env, const Atoms& atoms, const EngineHolder::Use& engine,
                             const JobMemory& memory, ERL_NIF_TERM ref, Request request,
                             std::chrono::nanoseconds patience) {
  Env terms = make_env();
  request.job.input = keep_binary(terms.get(), request.input);
  if (request.job.params) request.job.params = keep_binary(terms.get(), request.params);
  if (request.immediates != 0) request.job.immediates = keep_binary(terms.get(), request.immediates);
  const size_t params = request.job.params ? request.job.params->size() : 0;
  const bool light = std::max({request.job.input.size(), params, request.job.immediates.size()}) <= kHeapBinary;
  return submit({env, atoms, engine, memory, ref}, std::move(terms), {Answer::Output, request.report, 0, light},
                request.job.time_limit, [&](std::unique_ptr<core::Client> client) {
                  return engine->submit(std::move(request.job), std::move(client), patience);
                });
}

Result<Submitted> submit_chain(ErlNifEnv* env, const Atoms& atoms, const EngineHolder::Use& engine,
                               const JobMemory& memory, ERL_NIF_TERM ref, ChainRequest request,
                               std::chrono::nanoseconds patience) {
  const Answer answer = request.value != 0 ? Answer::Value : request.single ? Answer::Output : Answer::Outputs;
  return submit({env, atoms, engine, memory, ref}, std::move(request.terms), {answer, request.report, request.value},
                request.chain.time_limit, [&](std::unique_ptr<core::Client> client) {
                  return engine->submit(std::move(request.chain), std::move(client), patience);
                });
}

Result<Submitted> submit_read(ErlNifEnv* env, const Atoms& atoms, const EngineHolder::Use& engine,
                              const JobMemory& memory, ERL_NIF_TERM ref, core::BufferReference buffer, uint64_t offset,
                              uint64_t bytes) {
  return submit({env, atoms, engine, memory, ref}, make_env(), {Answer::Output, false, 0}, {},
                [&](std::unique_ptr<core::Client> client) {
                  return engine->read(std::move(buffer), offset, bytes, std::move(client));
                });
}

Result<Submitted> submit_write(ErlNifEnv* env, const Atoms& atoms, const EngineHolder::Use& engine,
                               const JobMemory& memory, ERL_NIF_TERM ref, core::BufferReference buffer, uint64_t offset,
                               ERL_NIF_TERM bytes) {
  Env terms = make_env();
  const std::span<const uint8_t> kept = keep_binary(terms.get(), bytes);
  return submit({env, atoms, engine, memory, ref}, std::move(terms), {Answer::Nothing, false, 0}, {},
                [&](std::unique_ptr<core::Client> client) {
                  return engine->write(std::move(buffer), offset, kept, std::move(client));
                });
}

JobState cancel_job(JobResource& job, const ErlNifPid& caller) {
  JobState state = JobState::Running;
  bool ended = enif_compare_pids(&job.owner, &caller) == 0
                   ? !job.state.compare_exchange_strong(state, JobState::Abandoned)
                   : (state = job.state) != JobState::Running;
  EngineHolder* holder = job.holder;
  if (ended || holder == nullptr) return ended ? state : job.state.load();
  EngineHolder::Use engine(*holder);
  if (engine) engine->cancel(job.id);
  return job.state;
}

}  // namespace kem::nif
