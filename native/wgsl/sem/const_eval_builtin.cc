// Built-in functions: from name to evaluator, and the checks that constant arguments alone decide.
#include <cmath>

#include "wgsl/sem/const_eval_impl.h"

namespace kem::wgsl::sem {
namespace detail {

std::string Call::text() const {
  std::string out = "'" + std::string(name(builtin)) + "(";
  const char* separator = "";
  for (const Value* argument : args) {
    out += separator + sem::spelling(argument);
    separator = ", ";
  }
  return out + ")'";
}

tl::unexpected<std::string> Call::fail(std::string_view why) const {
  std::string message = text() + ": ";
  message += why;
  return error(std::move(message));
}

tl::unexpected<std::string> Call::not_finite(const Type* type) const {
  return error(text() + " has no finite value in '" + sem::spelling(type) + "'");
}

Evaluated Call::rounded(double exact) const {
  const double value = round_to(scalar()->kind, exact);
  if (!std::isfinite(value)) return not_finite(scalar());
  return eval.real(scalar(), value);
}

namespace {

Evaluator find_evaluator(Builtin builtin) {
  for (const auto find : {find_math, find_geometry, find_bits, find_pack, find_matrix}) {
    if (const Evaluator evaluator = find(builtin)) return evaluator;
  }
  return nullptr;
}

// Scalars in the arguments: what a call costs, but for the few functions that are not linear in them.
uint64_t cost_of(std::span<const Value* const> arguments) {
  uint64_t cost = 1;
  for (const Value* argument : arguments) {
    const Matrix* matrix = as_matrix(argument->type);
    cost += matrix != nullptr ? uint64_t{4} * matrix->columns * matrix->rows : width_of(argument->type);
  }
  return cost;
}

bool scalar_less(const Value* a, const Value* b) {
  return a->type->is_float_scalar() ? a->real < b->real : a->integer < b->integer;
}

// A rule over some of the arguments, which are all constant; the text of what is wrong for component i, or "".
struct Check {
  Builtin builtin;
  uint8_t first, last;  // the arguments it looks at
  std::string (*wrong)(const Value* a, const Value* b);
};

std::string low_over_high(const Value* low, const Value* high) {
  if (!scalar_less(high, low)) return {};
  return "the low bound " + spelling(low) + " is greater than the high bound " + spelling(high);
}

std::string bits_out_of_range(const Value* offset, const Value* count) {
  if (offset->integer + count->integer <= 32) return {};
  return "offset " + spelling(offset) + " and count " + spelling(count) + " reach past bit 32";
}

std::string equal_edges(const Value* edge0, const Value* edge1) {
  return edge0->real == edge1->real ? "both edges are " + spelling(edge0) : std::string();
}

std::string outside_binary16(const Value* value, const Value*) {
  if (std::fabs(value->real) <= max_finite(TypeKind::F16)) return {};
  return "value " + spelling(value) + " cannot be represented as 'f16'";
}

template <int64_t kLimit>
std::string outside_range(const Value* value, const Value*) {
  if (value->integer >= 0 && value->integer < kLimit) return {};
  return "argument " + spelling(value) + " is not in the range [0, " + std::to_string(kLimit) + ")";
}

constexpr Check kChecks[] = {
    {Builtin::Clamp, 1, 2, low_over_high},
    {Builtin::ExtractBits, 1, 2, bits_out_of_range},
    {Builtin::InsertBits, 2, 3, bits_out_of_range},
    {Builtin::Smoothstep, 0, 1, equal_edges},
    {Builtin::QuantizeToF16, 0, 0, outside_binary16},
    {Builtin::Pack2x16float, 0, 0, outside_binary16},
    {Builtin::SubgroupBroadcast, 1, 1, outside_range<128>},
    {Builtin::SubgroupShuffle, 1, 1, outside_range<128>},
    {Builtin::SubgroupShuffleDown, 1, 1, outside_range<128>},
    {Builtin::SubgroupShuffleUp, 1, 1, outside_range<128>},
    {Builtin::SubgroupShuffleXor, 1, 1, outside_range<128>},
    {Builtin::QuadBroadcast, 1, 1, outside_range<4>},
};

int64_t largest_exponent(TypeKind kind) {  // bias + 1
  if (kind == TypeKind::F32) return 128;
  if (kind == TypeKind::F16) return 16;
  return 1024;
}

std::string check_ldexp(ConstEval& eval, const Value* exponent, const Type* type) {
  if (exponent == nullptr) return {};
  const int64_t largest = largest_exponent(scalar_of(type)->kind);
  for (uint32_t i = 0; i < width_of(exponent->type); ++i) {
    const Value* e = lane(eval, exponent, i);
    if (e->integer > largest) {
      return "exponent " + spelling(e) + " is greater than " + std::to_string(largest);
    }
  }
  return {};
}

}  // namespace
}  // namespace detail

std::string ConstEval::check_builtin(Builtin builtin, std::span<const Value* const> arguments_or_null,
                                     std::span<const Type* const> argument_types) {
  const auto describe = [&](std::string why) {
    return why.empty() ? why : "'" + std::string(name(builtin)) + "': " + why;
  };
  if (builtin == Builtin::Ldexp && arguments_or_null.size() == 2) {
    return describe(detail::check_ldexp(*this, arguments_or_null[1], argument_types[0]));
  }
  for (const detail::Check& check : detail::kChecks) {
    if (check.builtin != builtin || arguments_or_null.size() <= check.last) continue;
    const Value* a = arguments_or_null[check.first];
    const Value* b = arguments_or_null[check.last];
    if (a == nullptr || b == nullptr) continue;
    const uint32_t width = std::max(width_of(a->type), width_of(b->type));
    for (uint32_t i = 0; i < width; ++i) {
      std::string wrong = check.wrong(detail::lane(*this, a, i), detail::lane(*this, b, i));
      if (!wrong.empty()) return describe(std::move(wrong));
    }
  }
  return {};
}

Evaluated ConstEval::builtin(Builtin builtin, std::span<const Value* const> arguments, const Type* result) {
  if (!charge(detail::cost_of(arguments))) return out_of_steps();
  const detail::Evaluator evaluator = detail::find_evaluator(builtin);
  if (evaluator == nullptr) return detail::error("'" + std::string(name(builtin)) + "' is not a const-function");
  const Type* types[8];
  const size_t count = std::min<size_t>(arguments.size(), 8);
  for (size_t i = 0; i < count; ++i) types[i] = arguments[i]->type;
  if (std::string wrong = check_builtin(builtin, arguments, std::span<const Type* const>(types, count));
      !wrong.empty()) {
    return detail::error(std::move(wrong));
  }
  return evaluator(detail::Call{*this, builtin, arguments, result});
}

}  // namespace kem::wgsl::sem
