// The table of native functions of module kem_nif and the library's life in the VM: load, upgrade, unload.
// Every function takes microseconds, run_nif some tens; whatever may wait longer answers by message from a thread of
// the library. What has many steps to decode does so on a dirty scheduler.

#include <erl_nif.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <new>
#include <optional>
#include <string_view>

#include "core/core.h"
#include "nif/atoms.h"
#include "nif/buffer.h"
#include "nif/chain_request.h"
#include "nif/config.h"
#include "nif/engine_holder.h"
#include "nif/inspect.h"
#include "nif/job.h"
#include "nif/reply.h"
#include "nif/request.h"
#include "nif/terms.h"

namespace kem::nif {
namespace {

// The module's private data. Instances of the module that run the same build share one.
struct Library {
  const void* code = code_tag();  // first: read before anything else is known about the rest
  int instances = 1;              // module instances, current and old; changed under the VM's code lock
  Atoms atoms;
  JobMemory jobs;
  ErlNifResourceType* buffer_type = nullptr;
  EngineHolder holder;

  explicit Library(ErlNifEnv* env) : atoms(env), holder(atoms) {}
};

// How long a synchronous call of a small kernel may keep its scheduler: less than putting the process to sleep and
// waking it again costs on a busy machine, and far less than the millisecond that a native function may take.
constexpr std::chrono::microseconds kPatience{100};
// In percent, of a millisecond: what such a call takes at most, and mostly a few times less.
constexpr int kPatientTimeslice = 3;
// Steps whose decoding takes some hundred microseconds; more are decoded on a dirty scheduler.
constexpr size_t kStepsAtOnce = 64;
constexpr int kStepsTimeslice = 20;

struct Call {
  ErlNifEnv* env;
  Library& library;
  const ERL_NIF_TERM* arguments;

  const Atoms& atoms() const { return library.atoms; }
  ERL_NIF_TERM error(const Error& error) const { return encode_error(env, library.atoms, error); }
};

// The one place that C++ exceptions end at: memory, or a bug.
template <ERL_NIF_TERM (*Function)(const Call&)>
ERL_NIF_TERM boundary(ErlNifEnv* env, int, const ERL_NIF_TERM arguments[]) noexcept {
  auto& library = *static_cast<Library*>(enif_priv_data(env));
  Call call{env, library, arguments};
  try {
    return Function(call);
  } catch (const std::bad_alloc&) {
    return call.error(Error{ErrorClass::OutOfMemory, "no memory for the call"});
  } catch (...) {
    return call.error(Error{ErrorClass::Internal, "an exception ended the call"});
  }
}

// hello() -> <<"Hello world!">>
ERL_NIF_TERM hello(const Call& call) { return encode_binary(call.env, "Hello world!"); }

// configure_nif(Variables, DefaultStore) -> ok | already_running | {error, Reason}
ERL_NIF_TERM configure(const Call& call) {
  Result<core::Config> config = decode_config(call.env, call.arguments[0], call.arguments[1]);
  if (!config) return call.error(config.error());
  Result<bool> started = call.library.holder.start(std::move(*config));
  if (!started) return call.error(started.error());
  return *started ? call.atoms().ok : call.atoms().already_running;
}

// running_nif() -> boolean()
ERL_NIF_TERM running(const Call& call) { return call.atoms().of(bool{EngineHolder::Use(call.library.holder)}); }

// variables_nif() -> [Name :: binary()]
ERL_NIF_TERM variables(const Call& call) {
  ERL_NIF_TERM list = enif_make_list(call.env, 0);
  for (std::string_view name : core::Config::variables())
    list = enif_make_list_cell(call.env, encode_binary(call.env, name), list);
  return list;
}

Result<ERL_NIF_TERM> check_ref(const Call& call, ERL_NIF_TERM ref) {
  if (!enif_is_ref(call.env, ref)) return wrong(call.env, ref, "ref", "a reference");
  return ref;
}

Decoder decoder(const Call& call, const EngineHolder::Use& engine) {
  return {call.env, call.atoms(), engine.limits(), call.library.buffer_type};
}

Result<Submitted> submit_call(const Call& call, const EngineHolder::Use& engine, std::chrono::nanoseconds patience) {
  KEM_TRY(ERL_NIF_TERM ref, check_ref(call, call.arguments[0]));
  const Decoder terms = decoder(call, engine);
  KEM_TRY(Request request, decode_request(terms, call.arguments[1], call.arguments[2], call.arguments[3]));
  if (request.resident()) {
    KEM_TRY(ChainRequest chain, chain_of(terms, std::move(request)));
    return submit_chain(call.env, call.atoms(), engine, call.library.jobs, ref, std::move(chain), patience);
  }
  return submit_job(call.env, call.atoms(), engine, call.library.jobs, ref, std::move(request), patience);
}

// The answer of a call that needs an engine and finds none.
ERL_NIF_TERM no_engine(const Call& call, const EngineHolder::Use& engine) {
  return engine.stopped() ? call.error(stopped_error()) : call.atoms().unconfigured;
}

ERL_NIF_TERM encode_submitted(const Call& call, const Result<Submitted>& submitted) {
  if (!submitted) return call.error(submitted.error());
  return enif_make_tuple3(call.env, call.atoms().ok, submitted->handle,
                          enif_make_int64(call.env, submitted->time_limit.count()));
}

// submit_nif(Ref, Kernel, Input, Options) -> {ok, Handle, TimeLimitMs} | unconfigured | {error, Reason}
ERL_NIF_TERM submit(const Call& call) {
  EngineHolder::Use engine(call.library.holder);
  if (!engine) return no_engine(call, engine);
  return encode_submitted(call, submit_call(call, engine, std::chrono::nanoseconds(0)));
}

// The answer of a call that waits for its result, if it is there already.
ERL_NIF_TERM encode_patient(const Call& call, const Result<Submitted>& submitted) {
  if (!submitted || submitted->result == 0) return encode_submitted(call, submitted);
  return enif_make_tuple2(call.env, call.atoms().done, submitted->result);
}

// run_nif(Ref, Kernel, Input, Options) -> {done, Result} | what submit_nif returns
ERL_NIF_TERM run(const Call& call) {
  EngineHolder::Use engine(call.library.holder);
  if (!engine) return no_engine(call, engine);
  const Result<Submitted> submitted = submit_call(call, engine, kPatience);
  if (submitted && submitted->result != 0) enif_consume_timeslice(call.env, kPatientTimeslice);
  return encode_patient(call, submitted);
}

using DecodeChain = Result<ChainRequest> (*)(const Call& call, const Decoder& terms);

Result<ChainRequest> pipeline_request(const Call& call, const Decoder& terms) {
  return decode_pipeline(terms, call.arguments[1], call.arguments[2]);
}

Result<ChainRequest> many_request(const Call& call, const Decoder& terms) {
  return decode_many(terms, call.arguments[1], call.arguments[2], call.arguments[3]);
}

Result<Submitted> submit_chain_call(const Call& call, const EngineHolder::Use& engine, DecodeChain decode) {
  KEM_TRY(ERL_NIF_TERM ref, check_ref(call, call.arguments[0]));
  KEM_TRY(ChainRequest chain, decode(call, decoder(call, engine)));
  return submit_chain(call.env, call.atoms(), engine, call.library.jobs, ref, std::move(chain), kPatience);
}

template <DecodeChain decode>
ERL_NIF_TERM run_chain(const Call& call) {
  EngineHolder::Use engine(call.library.holder);
  if (!engine) return no_engine(call, engine);
  return encode_patient(call, submit_chain_call(call, engine, decode));
}

// Here if there are few steps, else on a dirty scheduler.
template <DecodeChain decode>
ERL_NIF_TERM run_few(const Call& call, const char* name, int arity, ERL_NIF_TERM steps) {
  if (count_steps(call.env, call.atoms(), steps, kStepsAtOnce) > kStepsAtOnce) {
    return enif_schedule_nif(call.env, name, ERL_NIF_DIRTY_JOB_CPU_BOUND, boundary<run_chain<decode>>, arity,
                             call.arguments);
  }
  enif_consume_timeslice(call.env, kStepsTimeslice);
  return run_chain<decode>(call);
}

// pipeline_nif(Ref, Steps, Options) -> what run_nif returns
ERL_NIF_TERM pipeline(const Call& call) {
  return run_few<pipeline_request>(call, "pipeline_nif", 3, call.arguments[1]);
}

// run_many_nif(Ref, Kernel, Inputs, Options) -> what run_nif returns
ERL_NIF_TERM run_many(const Call& call) { return run_few<many_request>(call, "run_many_nif", 4, call.arguments[2]); }

Result<core::BufferReference> buffer_argument(const Call& call, int argument) {
  return decode_buffer(call.env, call.library.buffer_type, call.arguments[argument], "buffer");
}

constexpr uint64_t kMostBytes = uint64_t{1} << 40;

Result<Submitted> read_call(const Call& call, const EngineHolder::Use& engine) {
  KEM_TRY(ERL_NIF_TERM ref, check_ref(call, call.arguments[0]));
  KEM_TRY(core::BufferReference buffer, buffer_argument(call, 1));
  KEM_TRY(const uint64_t offset, decode_integer(call.env, call.arguments[2], "offset", 0, kMostBytes));
  uint64_t length = buffer->size();
  if (!enif_is_identical(call.arguments[3], call.atoms().all)) {
    KEM_TRY(length, decode_integer(call.env, call.arguments[3], "length", 0, kMostBytes));
  }
  return submit_read(call.env, call.atoms(), engine, call.library.jobs, ref, std::move(buffer), offset, length);
}

// read_nif(Ref, Buffer, Offset, Length | all) -> what submit_nif returns
ERL_NIF_TERM read(const Call& call) {
  EngineHolder::Use engine(call.library.holder);
  if (!engine) return no_engine(call, engine);
  return encode_submitted(call, read_call(call, engine));
}

Result<Submitted> write_call(const Call& call, const EngineHolder::Use& engine) {
  KEM_TRY(ERL_NIF_TERM ref, check_ref(call, call.arguments[0]));
  KEM_TRY(core::BufferReference buffer, buffer_argument(call, 1));
  KEM_TRY(const uint64_t offset, decode_integer(call.env, call.arguments[2], "offset", 0, kMostBytes));
  KEM_CHECK(decode_binary(call.env, call.arguments[3], "bytes"));
  return submit_write(call.env, call.atoms(), engine, call.library.jobs, ref, std::move(buffer), offset,
                      call.arguments[3]);
}

// write_nif(Ref, Buffer, Offset, Bytes) -> what submit_nif returns; the result is ok
ERL_NIF_TERM write(const Call& call) {
  EngineHolder::Use engine(call.library.holder);
  if (!engine) return no_engine(call, engine);
  return encode_submitted(call, write_call(call, engine));
}

// size_nif(Buffer) -> Bytes | {error, Reason}
ERL_NIF_TERM size(const Call& call) {
  Result<core::BufferReference> buffer = buffer_argument(call, 0);
  return buffer ? enif_make_uint64(call.env, (*buffer)->size()) : call.error(buffer.error());
}

// A job of this build; null for any other term. Jobs of another build ended, or will, with their library.
JobResource* get_job(const Call& call, ERL_NIF_TERM handle) {
  void* object = nullptr;
  if (!enif_get_resource(call.env, handle, call.library.jobs.type, &object)) return nullptr;
  auto* job = static_cast<JobResource*>(object);
  return job->code == code_tag() ? job : nullptr;
}

ERL_NIF_TERM encode_state(const Atoms& atoms, JobState state) {
  switch (state) {
    case JobState::Running:
      return atoms.running;
    case JobState::Sending:
      return atoms.sending;
    case JobState::Sent:
      return atoms.sent;
    case JobState::Abandoned:
      return atoms.abandoned;
  }
  return atoms.undefined;
}

ERL_NIF_TERM unknown_job(const Call& call) {
  return call.error(wrong(call.env, call.arguments[0], "job", "a handle of this library").value());
}

// cancel_nif(Handle) -> abandoned | sending | sent | running | {error, Reason}; see cancel_job()
ERL_NIF_TERM cancel(const Call& call) {
  JobResource* job = get_job(call, call.arguments[0]);
  if (job == nullptr) return unknown_job(call);
  ErlNifPid self;
  enif_self(call.env, &self);
  return encode_state(call.atoms(), cancel_job(*job, self));
}

// state_nif(Handle) -> abandoned | sending | sent | running | not_owner | {error, Reason}
ERL_NIF_TERM state(const Call& call) {
  JobResource* job = get_job(call, call.arguments[0]);
  if (job == nullptr) return unknown_job(call);
  ErlNifPid self;
  enif_self(call.env, &self);
  if (enif_compare_pids(&job->owner, &self) != 0) return call.atoms().not_owner;
  return encode_state(call.atoms(), job->state);
}

template <class T, class Encode>
ERL_NIF_TERM encode_result(ErlNifEnv* env, const Atoms& atoms, const Result<T>& result, Encode encode) {
  if (!result) return encode_error(env, atoms, result.error());
  return enif_make_tuple2(env, atoms.ok, encode(*result));
}

ERL_NIF_TERM answer_adapter(ErlNifEnv* env, const Atoms& atoms, core::Engine& engine) {
  return encode_result(env, atoms, engine.adapter(),
                       [&](const vulkan::DeviceInfo& info) { return encode_adapter(env, atoms, info); });
}

struct Adapter {
  vulkan::DeviceInfo info;
  bool in_use = false;  // by the engine
};

Result<std::vector<Adapter>> find_adapters(core::Engine& engine) {
  KEM_CHECK(engine.adapter());
  KEM_TRY(std::vector<vulkan::DeviceInfo> all, vulkan::enumerate());
  const std::vector<core::DeviceStats> used = engine.stats().devices;
  std::vector<Adapter> adapters;
  for (vulkan::DeviceInfo& info : all) {
    const bool in_use = std::any_of(used.begin(), used.end(),
                                    [&](const core::DeviceStats& device) { return device.info.index == info.index; });
    adapters.push_back({std::move(info), in_use});
  }
  return adapters;
}

ERL_NIF_TERM answer_adapters(ErlNifEnv* env, const Atoms& atoms, core::Engine& engine) {
  return encode_result(env, atoms, find_adapters(engine), [&](const std::vector<Adapter>& all) {
    ERL_NIF_TERM list = enif_make_list(env, 0);
    for (auto adapter = all.rbegin(); adapter != all.rend(); ++adapter) {
      ERL_NIF_TERM map = encode_adapter(env, atoms, adapter->info);
      enif_make_map_put(env, map, atoms.in_use, atoms.of(adapter->in_use), &map);
      list = enif_make_list_cell(env, map, list);
    }
    return list;
  });
}

ERL_NIF_TERM answer_stats(ErlNifEnv* env, const Atoms& atoms, core::Engine& engine) {
  return enif_make_tuple2(env, atoms.ok, encode_stats(env, atoms, engine.stats()));
}

ERL_NIF_TERM answer_extensions(ErlNifEnv* env, const Atoms& atoms, core::Engine& engine) {
  return enif_make_tuple2(env, atoms.ok, encode_extensions(env, atoms, engine.wgsl_options()));
}

ERL_NIF_TERM answer_check(ErlNifEnv* env, const Atoms& atoms, core::Engine& engine, const std::string& wgsl) {
  wgsl::Compilation compilation = wgsl::compile(wgsl, engine.wgsl_options());
  if (compilation.program) return enif_make_tuple2(env, atoms.ok, encode_binary(env, compilation.diagnostics));
  return encode_error(env, atoms, Error{ErrorClass::InvalidKernel, std::move(compilation.diagnostics)});
}

ERL_NIF_TERM answer_buffer(ErlNifEnv* env, const Atoms& atoms, core::Engine& engine, ErlNifResourceType* type,
                           uint64_t bytes, std::optional<size_t> device) {
  Result<core::BufferReference> buffer = engine.make_buffer(bytes, device);
  if (!buffer) return encode_error(env, atoms, buffer.error());
  const ERL_NIF_TERM term = make_buffer_term(env, type, std::move(*buffer));
  if (term == 0) return encode_error(env, atoms, Error{ErrorClass::OutOfMemory, "no memory for the buffer"});
  return enif_make_tuple2(env, atoms.ok, term);
}

// adapter | adapters | stats | extensions | {check, Wgsl} | {compile, Kernel} | {measure_empty_submit, Rounds} |
// {buffer, Bytes, Device | all}
Result<Query::Answer> decode_question(const Call& call, const Limits& limits, ERL_NIF_TERM question) {
  const Atoms& atoms = call.atoms();
  if (enif_is_identical(question, atoms.adapter)) return Query::Answer(answer_adapter);
  if (enif_is_identical(question, atoms.adapters)) return Query::Answer(answer_adapters);
  if (enif_is_identical(question, atoms.stats)) return Query::Answer(answer_stats);
  if (enif_is_identical(question, atoms.extensions)) return Query::Answer(answer_extensions);
  int arity = 0;
  const ERL_NIF_TERM* elements = nullptr;
  const bool tuple = enif_get_tuple(call.env, question, &arity, &elements);
  const bool pair = tuple && arity == 2;
  if (pair && enif_is_identical(elements[0], atoms.check)) {
    KEM_TRY(auto bytes, decode_binary(call.env, elements[1], "source"));
    if (size_t limit = limits.source_bytes; bytes.size() > limit)
      return fail(ErrorClass::KernelTooLarge, "the source has over " + std::to_string(limit) + " bytes");
    return Query::Answer([wgsl = std::string(bytes.begin(), bytes.end())](auto* env, auto& known, auto& engine) {
      return answer_check(env, known, engine, wgsl);
    });
  }
  if (tuple && arity == 3 && enif_is_identical(elements[0], atoms.buffer)) {
    KEM_TRY(const uint64_t bytes, decode_integer(call.env, elements[1], "size", 1, kMostBytes));
    std::optional<size_t> device;
    if (!enif_is_identical(elements[2], atoms.all)) {
      KEM_TRY(device, decode_integer(call.env, elements[2], "device", 0, std::numeric_limits<uint32_t>::max()));
    }
    return Query::Answer([bytes, device, type = call.library.buffer_type](auto* env, auto& known, auto& engine) {
      return answer_buffer(env, known, engine, type, bytes, device);
    });
  }
  if (pair && enif_is_identical(elements[0], atoms.compile)) {
    KEM_TRY(auto kernel, decode_kernel({call.env, atoms, limits, call.library.buffer_type}, elements[1]));
    return Query::Answer([kernel = std::move(kernel)](auto* env, auto& known, auto& engine) {
      return inspect_kernel(env, known, engine, kernel);
    });
  }
  if (pair && enif_is_identical(elements[0], atoms.measure_empty_submit)) {
    KEM_TRY(uint64_t rounds, decode_integer(call.env, elements[1], "rounds", 1, 1'000'000));
    return Query::Answer([rounds](auto* env, auto& known, auto& engine) {
      return encode_result(env, known, engine.measure_empty_submit(static_cast<int>(rounds)),
                           [env](std::chrono::nanoseconds time) { return enif_make_int64(env, time.count()); });
    });
  }
  return wrong(call.env, question, "question", "one that the library knows");
}

Status ask(const Call& call, const EngineHolder::Use& engine) {
  KEM_TRY(ERL_NIF_TERM ref, check_ref(call, call.arguments[0]));
  Query query;
  KEM_TRY(query.answer, decode_question(call, engine.limits(), call.arguments[1]));
  enif_self(call.env, &query.receiver);
  query.message = make_env();
  query.ref = enif_make_copy(query.message.get(), ref);
  return engine.holder().ask(std::move(query));
}

// ask_nif(Ref, Question) -> ok | unconfigured | {error, Reason}; the answer comes as {kem, Ref, Answer}
ERL_NIF_TERM ask_question(const Call& call) {
  EngineHolder::Use engine(call.library.holder);
  if (!engine) return no_engine(call, engine);
  Status asked = ask(call, engine);
  return asked ? call.atoms().ok : call.error(asked.error());
}

// From OTP 26 the VM says that it halts before it calls exit(). Before that the exit guards alone stop the engine, and
// a halt in the middle of the device's opening is as safe as the driver's own static objects are.
void stop_at_halt([[maybe_unused]] ErlNifEnv* env) {
#if ERL_NIF_MAJOR_VERSION > 2 || ERL_NIF_MINOR_VERSION >= 17
  static_cast<void>(enif_set_option(
      env, ERL_NIF_OPT_ON_HALT, +[](void* private_data) { static_cast<Library*>(private_data)->holder.stop(); }));
#endif
}

// For this instance of the module, from whichever had them before. False if the VM refuses.
bool open_types(ErlNifEnv* env, Library& library) {
  ErlNifResourceType* const jobs = open_job_type(env);
  ErlNifResourceType* const buffers = open_buffer_type(env);
  ErlNifResourceType* const outputs = Outputs::open_type(env);
  if (jobs == nullptr || buffers == nullptr || outputs == nullptr) return false;
  library.jobs.type = jobs;
  library.buffer_type = buffers;
  library.jobs.outputs.set_type(outputs);
  return true;
}

int load(ErlNifEnv* env, void** private_data, ERL_NIF_TERM) noexcept {
  try {
    auto library = std::make_unique<Library>(env);
    if (!open_types(env, *library)) return 1;
    stop_at_halt(env);
    *private_data = library.release();
    return 0;
  } catch (...) {
    return 1;
  }
}

// The same build goes on with its engine and jobs. Another build starts afresh; the old one's jobs end when the
// old code is purged.
int upgrade(ErlNifEnv* env, void** private_data, void** old_private_data, ERL_NIF_TERM info) noexcept {
  auto* old = static_cast<Library*>(*old_private_data);
  if (old == nullptr || old->code != code_tag()) return load(env, private_data, info);
  if (!open_types(env, *old)) return 1;
  stop_at_halt(env);
  ++old->instances;
  *private_data = old;
  return 0;
}

void unload(ErlNifEnv*, void* private_data) noexcept {
  auto* library = static_cast<Library*>(private_data);
  if (--library->instances == 0) delete library;
}

ErlNifFunc functions[] = {
    {"hello", 0, boundary<hello>, 0},           {"configure_nif", 2, boundary<configure>, 0},
    {"running_nif", 0, boundary<running>, 0},   {"variables_nif", 0, boundary<variables>, 0},
    {"submit_nif", 4, boundary<submit>, 0},     {"run_nif", 4, boundary<run>, 0},
    {"run_many_nif", 4, boundary<run_many>, 0}, {"pipeline_nif", 3, boundary<pipeline>, 0},
    {"read_nif", 4, boundary<read>, 0},         {"write_nif", 4, boundary<write>, 0},
    {"size_nif", 1, boundary<size>, 0},         {"cancel_nif", 1, boundary<cancel>, 0},
    {"state_nif", 1, boundary<state>, 0},       {"ask_nif", 2, boundary<ask_question>, 0},
};

}  // namespace
}  // namespace kem::nif

using kem::nif::functions;
using kem::nif::load;
using kem::nif::unload;
using kem::nif::upgrade;
ERL_NIF_INIT(kem_nif, functions, load, nullptr, upgrade, unload)
