#include "nif/chain_request.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "nif/buffer.h"

namespace kem::nif {
namespace {

// Repetitions within repetitions: no more than anybody needs, as they are walked by recursion.
constexpr int kDeepest = 16;

struct Repeat {
  ERL_NIF_TERM count;
  ERL_NIF_TERM steps;
};

std::optional<Repeat> repeat_of(ErlNifEnv* env, const Atoms& atoms, ERL_NIF_TERM term) {
  int arity = 0;
  const ERL_NIF_TERM* elements = nullptr;
  if (!enif_get_tuple(env, term, &arity, &elements) || arity != 3) return std::nullopt;
  if (!enif_is_identical(elements[0], atoms.repeat)) return std::nullopt;
  return Repeat{elements[1], elements[2]};
}

void count(ErlNifEnv* env, const Atoms& atoms, ERL_NIF_TERM list, size_t most, int depth, size_t& steps) {
  ERL_NIF_TERM head = 0;
  while (steps <= most && enif_get_list_cell(env, list, &head, &list)) {
    ++steps;
    if (depth == kDeepest) continue;
    if (const auto repeat = repeat_of(env, atoms, head)) count(env, atoms, repeat->steps, most, depth + 1, steps);
  }
}

tl::unexpected<Error> too_many(size_t most) {
  return fail(ErrorClass::InvalidArgument, "there are more steps than the limit of " + std::to_string(most));
}

core::Chain::Step step_of(Request& request) {
  core::Chain::Step step;
  if (request.input != 0) step.input = request.job.input;
  if (request.input_buffer) step.input = std::move(request.input_buffer);
  step.params = request.job.params;
  step.immediates = request.job.immediates;
  if (request.output_buffer) {
    step.output = std::move(request.output_buffer);
  } else {
    std::visit([&](const auto& size) { step.output = size; }, request.job.output);
  }
  step.dispatch = request.job.dispatch;
  return step;
}

core::Chain::Kernel kernel_of(core::Job& job) {
  return {std::move(job.kernel), std::move(job.entry_point), std::move(job.constants)};
}

// Walks a pipeline's list. Terms and spans are those of the request's environment.
class PipelineDecoder {
 public:
  PipelineDecoder(const Decoder& decoder, core::Chain& chain)
      : decoder_(decoder), chain_(chain), most_(decoder.limits.chain_steps) {}

  Status decode(ERL_NIF_TERM list, int depth = 0) {
    ERL_NIF_TERM head = 0;
    ERL_NIF_TERM rest = list;
    while (enif_get_list_cell(decoder_.env, rest, &head, &rest)) {
      const auto repeat = repeat_of(decoder_.env, decoder_.atoms, head);
      KEM_CHECK(repeat ? repeated(*repeat, depth) : step(head));
    }
    if (!enif_is_empty_list(decoder_.env, rest)) return wrong(decoder_.env, list, "steps", "a list");
    return {};
  }

 private:
  struct KernelTerms {
    ERL_NIF_TERM kernel, entry_point, constants;
    bool operator==(const KernelTerms& other) const {
      return same(kernel, other.kernel) && same(entry_point, other.entry_point) && same(constants, other.constants);
    }
    static bool same(ERL_NIF_TERM a, ERL_NIF_TERM b) { return a == b || (a != 0 && b != 0 && enif_is_identical(a, b)); }
  };

  Status repeated(const Repeat& repeat, int depth) {
    if (depth == kDeepest) {
      return fail(ErrorClass::InvalidArgument,
                  "repetitions are nested more than " + std::to_string(kDeepest) + " deep");
    }
    KEM_TRY(const uint64_t times, decode_integer(decoder_.env, repeat.count, "repeat", 0, UINT32_MAX));
    std::vector<uint32_t>& order = chain_.order;
    const size_t first = order.size();
    KEM_CHECK(decode(repeat.steps, depth + 1));
    const size_t length = order.size() - first;
    if (times == 0) order.resize(first);
    if (length == 0 || times <= 1) return {};
    if (times - 1 > (most_ - order.size()) / length) return too_many(most_);
    order.reserve(first + length * times);
    for (size_t i = length; i < length * times; ++i) order.push_back(order[first + i - length]);
    return {};
  }

  Status step(ERL_NIF_TERM term) {
    if (chain_.order.size() >= most_ || chain_.steps.size() >= most_) return too_many(most_);
    auto decoded = decode_step(decoder_, term);
    if (!decoded) return in_step(decoded.error());
    auto kernel = kernel_index({decoded->kernel, decoded->entry_point, decoded->constants}, decoded->request.job);
    if (!kernel) return in_step(kernel.error());
    chain_.order.push_back(static_cast<uint32_t>(chain_.steps.size()));
    chain_.steps.push_back(step_of(decoded->request));
    chain_.steps.back().kernel = *kernel;
    return {};
  }

  Status in_step(const Error& error) const {
    return fail(error.error_class, "step " + std::to_string(chain_.steps.size() + 1) + ": " + error.message);
  }

  // Mostly that of the step before, or of one of a few.
  Result<size_t> kernel_index(const KernelTerms& terms, core::Job& job) {
    const auto known = std::find(terms_.rbegin(), terms_.rend(), terms);
    if (known != terms_.rend()) return static_cast<size_t>(terms_.rend() - known) - 1;
    KEM_TRY(job.kernel, decode_kernel(decoder_, terms.kernel));
    terms_.push_back(terms);
    chain_.kernels.push_back(kernel_of(job));
    return terms_.size() - 1;
  }

  const Decoder& decoder_;
  core::Chain& chain_;
  const size_t most_;
  std::vector<KernelTerms> terms_;
};

Decoder in_env(const Decoder& decoder, ErlNifEnv* env) {
  return {env, decoder.atoms, decoder.limits, decoder.buffer_type};
}

// The binary's bytes in the request's own environment.
Status keep(const Decoder& kept, ERL_NIF_TERM binary, std::span<const uint8_t>& bytes) {
  KEM_TRY(bytes, decode_binary(kept.env, enif_make_copy(kept.env, binary), "a binary"));
  return {};
}

Status keep_all(const Decoder& kept, Request& request) {
  if (request.input != 0) KEM_CHECK(keep(kept, request.input, request.job.input));
  if (request.params != 0) KEM_CHECK(keep(kept, request.params, request.job.params.emplace()));
  if (request.immediates != 0) KEM_CHECK(keep(kept, request.immediates, request.job.immediates));
  return {};
}

}  // namespace

size_t count_steps(ErlNifEnv* env, const Atoms& atoms, ERL_NIF_TERM steps, size_t most) {
  size_t counted = 0;
  count(env, atoms, steps, most, 0, counted);
  return counted;
}

Result<ChainRequest> decode_pipeline(const Decoder& decoder, ERL_NIF_TERM steps, ERL_NIF_TERM options) {
  const size_t most = decoder.limits.chain_steps;
  if (count_steps(decoder.env, decoder.atoms, steps, 2 * most) > 2 * most) return too_many(most);  // repeats count too
  ChainRequest request;
  request.terms = make_env();
  const Decoder kept = in_env(decoder, request.terms.get());
  KEM_CHECK(PipelineDecoder(kept, request.chain).decode(enif_make_copy(kept.env, steps)));
  KEM_TRY(const Request common, decode_pipeline_options(decoder, options));
  request.chain.time_limit = common.job.time_limit;
  request.chain.device = common.job.device;
  request.report = common.report;
  return request;
}

Result<ChainRequest> decode_many(const Decoder& decoder, ERL_NIF_TERM kernel, ERL_NIF_TERM inputs,
                                 ERL_NIF_TERM options) {
  unsigned count = 0;
  if (!enif_get_list_length(decoder.env, inputs, &count)) return wrong(decoder.env, inputs, "inputs", "a list");
  if (count > decoder.limits.chain_steps) return too_many(decoder.limits.chain_steps);
  KEM_TRY(Request common, decode_many_options(decoder, kernel, options));
  ChainRequest request;
  request.terms = make_env();
  const Decoder kept = in_env(decoder, request.terms.get());
  KEM_CHECK(keep_all(kept, common));
  core::Chain& chain = request.chain;
  chain.independent = true;
  chain.time_limit = common.job.time_limit;
  chain.device = common.job.device;
  request.report = common.report;
  chain.steps.reserve(count);
  ERL_NIF_TERM head = 0;
  while (enif_get_list_cell(decoder.env, inputs, &head, &inputs)) {
    common.input = 0;
    KEM_CHECK(decode_input(decoder, head, common));
    if (common.input != 0) KEM_CHECK(keep(kept, common.input, common.job.input));
    chain.order.push_back(static_cast<uint32_t>(chain.steps.size()));
    chain.steps.push_back(step_of(common));
  }
  chain.kernels.push_back(kernel_of(common.job));
  return request;
}

Result<ChainRequest> chain_of(const Decoder& decoder, Request single) {
  ChainRequest request;
  request.terms = make_env();
  const Decoder kept = in_env(decoder, request.terms.get());
  KEM_CHECK(keep_all(kept, single));
  if (single.output != 0) request.value = enif_make_copy(kept.env, single.output);
  request.single = true;
  request.report = single.report;
  request.chain.time_limit = single.job.time_limit;
  request.chain.device = single.job.device;
  request.chain.steps.push_back(step_of(single));
  request.chain.order = {0};
  request.chain.kernels.push_back(kernel_of(single.job));
  return request;
}

}  // namespace kem::nif
