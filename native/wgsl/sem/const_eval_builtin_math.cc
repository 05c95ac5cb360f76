// Component-wise numeric functions and the logical ones (spec "Numeric Built-in Functions", "Logical Built-in
// Functions"). f32 and f16 functions are computed in double and rounded once, but where the specification derives
// a function's accuracy and its overflow from a formula, each operation of the formula is rounded.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "wgsl/sem/const_eval_impl.h"
#include "wgsl/sem/half.h"

namespace kem::wgsl::sem::detail {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double sign_of(double x) { return x > 0 ? 1.0 : x < 0 ? -1.0 : 0.0; }

// ---- Functions of one real ------------------------------------------------------------------------------

// The function, and the closed interval that its argument must be in. (Where the end itself has an infinite
// result, such as log(0), the result is refused.)
struct Function1 {
  Builtin builtin;
  double (*function)(double);
  double lowest = -kInfinity;
  double highest = kInfinity;
};

// clang-format off
constexpr Function1 kFunctions1[] = {
    {Builtin::Acos, [](double x) { return std::acos(x); }, -1, 1},
    {Builtin::Acosh, [](double x) { return std::acosh(x); }, 1},
    {Builtin::Asin, [](double x) { return std::asin(x); }, -1, 1},
    {Builtin::Asinh, [](double x) { return std::asinh(x); }},
    {Builtin::Atan, [](double x) { return std::atan(x); }},
    {Builtin::Atanh, [](double x) { return std::atanh(x); }, -1, 1},
    {Builtin::Ceil, [](double x) { return std::ceil(x); }},
    {Builtin::Cos, [](double x) { return std::cos(x); }},
    {Builtin::Cosh, [](double x) { return std::cosh(x); }},
    {Builtin::Degrees, [](double x) { return x * (180 / std::numbers::pi); }},
    {Builtin::Exp, [](double x) { return std::exp(x); }},
    {Builtin::Exp2, [](double x) { return std::exp2(x); }},
    {Builtin::Floor, [](double x) { return std::floor(x); }},
    {Builtin::Fract, [](double x) { return x - std::floor(x); }},
    {Builtin::InverseSqrt, [](double x) { return 1 / std::sqrt(x); }, 0},
    {Builtin::Log, [](double x) { return std::log(x); }, 0},
    {Builtin::Log2, [](double x) { return std::log2(x); }, 0},
    {Builtin::QuantizeToF16, [](double x) { return round_to_f16(x); }},
    {Builtin::Radians, [](double x) { return x * (std::numbers::pi / 180); }},
    {Builtin::Round, [](double x) { return round_half_even(x); }},
    {Builtin::Saturate, [](double x) { return std::min(std::max(x, 0.0), 1.0); }},
    {Builtin::Sin, [](double x) { return std::sin(x); }},
    {Builtin::Sinh, [](double x) { return std::sinh(x); }},
    {Builtin::Sqrt, [](double x) { return std::sqrt(x); }, 0},
    {Builtin::Tan, [](double x) { return std::tan(x); }},
    {Builtin::Tanh, [](double x) { return std::tanh(x); }},
    {Builtin::Trunc, [](double x) { return std::trunc(x); }},
};
// clang-format on

std::string bound(double x) { return std::isfinite(x) ? std::to_string(static_cast<int>(x)) : "infinity"; }

Evaluated function1(const Call& call) {
  const auto* row = std::ranges::find(kFunctions1, call.builtin, &Function1::builtin);
  return lift(call.eval, call.result, [&](uint32_t i) -> Evaluated {
    const double x = call.real(0, i);
    if (x < row->lowest || x > row->highest) {
      return call.fail("the argument must be in [" + bound(row->lowest) + ", " + bound(row->highest) + "]");
    }
    return call.rounded(row->function(x));
  });
}

// ---- Several reals --------------------------------------------------------------------------------------

Evaluated atan2(const Call& call) {
  return lift(call.eval, call.result,
              [&](uint32_t i) { return call.rounded(std::atan2(call.real(0, i), call.real(1, i))); });
}

// As exp2(y * log2(x)): so neither a negative x, nor y <= 0 at x = 0, where log2 is infinite.
Evaluated pow(const Call& call) {
  return lift(call.eval, call.result, [&](uint32_t i) -> Evaluated {
    const double x = call.real(0, i), y = call.real(1, i);
    if (x < 0) return call.fail("the base must not be negative");
    if (x == 0 && y <= 0) return call.fail("zero has only positive powers");
    return call.rounded(std::pow(x, y));
  });
}

// Lifts a formula over the type's own arithmetic: formula(Real&, i) is the value.
template <class F>
Evaluated formula(const Call& call, F f) {
  return lift(call.eval, call.result, [&](uint32_t i) -> Evaluated {
    Real real(call.scalar());
    const double value = f(real, i);
    if (!real.finite()) return call.not_finite(call.scalar());
    return call.eval.real(call.scalar(), value);
  });
}

Evaluated fma(const Call& call) {
  return formula(call,
                 [&](Real& t, uint32_t i) { return t.add(t.mul(call.real(0, i), call.real(1, i)), call.real(2, i)); });
}

Evaluated mix(const Call& call) {
  return formula(call, [&](Real& t, uint32_t i) {
    const double blend = call.real(2, i);
    return t.add(t.mul(call.real(0, i), t.sub(1, blend)), t.mul(call.real(1, i), blend));
  });
}

Evaluated smoothstep(const Call& call) {
  return formula(call, [&](Real& t, uint32_t i) {
    const double low = call.real(0, i), high = call.real(1, i), x = call.real(2, i);
    const double ratio = std::clamp(t.div(t.sub(x, low), t.sub(high, low)), 0.0, 1.0);
    return t.mul(t.mul(ratio, ratio), t.sub(3, t.mul(2, ratio)));
  });
}

Evaluated step(const Call& call) {
  return formula(call, [&](Real&, uint32_t i) { return call.real(0, i) <= call.real(1, i) ? 1.0 : 0.0; });
}

Evaluated ldexp(const Call& call) {
  return lift(call.eval, call.result, [&](uint32_t i) {
    // Beyond these every result is zero or infinite, and std::ldexp takes an int.
    const auto exponent = static_cast<int>(std::clamp<int64_t>(call.integer(1, i), -10000, 10000));
    return call.rounded(std::ldexp(call.real(0, i), exponent));
  });
}

// ---- Integers and reals ---------------------------------------------------------------------------------

bool less(const Value* a, const Value* b) {
  return a->type->is_float_scalar() ? a->real < b->real : a->integer < b->integer;
}
const Value* larger(const Value* a, const Value* b) { return less(a, b) ? b : a; }
const Value* smaller(const Value* a, const Value* b) { return less(b, a) ? b : a; }

Evaluated max(const Call& call) {
  return lift(call.eval, call.result, [&](uint32_t i) -> Evaluated { return larger(call.arg(0, i), call.arg(1, i)); });
}

Evaluated min(const Call& call) {
  return lift(call.eval, call.result, [&](uint32_t i) -> Evaluated { return smaller(call.arg(0, i), call.arg(1, i)); });
}

Evaluated clamp(const Call& call) {
  return lift(call.eval, call.result,
              [&](uint32_t i) -> Evaluated { return smaller(larger(call.arg(0, i), call.arg(1, i)), call.arg(2, i)); });
}

Evaluated abs(const Call& call) {
  return lift(call.eval, call.result, [&](uint32_t i) -> Evaluated {
    const Value* e = call.arg(0, i);
    if (e->type->is_float_scalar()) return call.eval.real(e->type, std::fabs(e->real));
    if (e->integer >= 0) return e;
    // The largest negative value is its own absolute value, in every signed type.
    return call.eval.integer(e->type, wrap(e->type->kind, static_cast<int64_t>(0 - static_cast<uint64_t>(e->integer))));
  });
}

Evaluated sign(const Call& call) {
  return lift(call.eval, call.result, [&](uint32_t i) -> Evaluated {
    const Value* e = call.arg(0, i);
    if (e->type->is_float_scalar()) return call.eval.real(e->type, sign_of(e->real));
    return call.eval.integer(e->type, (e->integer > 0) - (e->integer < 0));
  });
}

// ---- Two results ----------------------------------------------------------------------------------------

// A built-in result structure whose two members are lifted from first(x) and second(x).
template <class First, class Second>
Evaluated pair(const Call& call, First first, Second second) {
  const Struct* structure = as_struct(call.result);
  const Value* members[2];
  for (uint32_t m = 0; m < 2; ++m) {
    Evaluated member = lift(call.eval, structure->members[m].type, [&](uint32_t i) -> Evaluated {
      return m == 0 ? first(call.arg(0, i)) : second(call.arg(0, i), scalar_of(structure->members[1].type));
    });
    if (!member) return member;
    members[m] = *member;
  }
  return call.eval.composite(call.result, members);
}

Evaluated frexp(const Call& call) {
  return pair(
      call,
      [&](const Value* e) {
        int exponent = 0;
        return call.eval.real(e->type, std::frexp(e->real, &exponent));
      },
      [&](const Value* e, const Type* type) {
        int exponent = 0;
        static_cast<void>(std::frexp(e->real, &exponent));
        return call.eval.integer(type, exponent);
      });
}

Evaluated modf(const Call& call) {
  return pair(
      call, [&](const Value* e) { return call.eval.real(e->type, e->real - std::trunc(e->real)); },
      [&](const Value* e, const Type* type) { return call.eval.real(type, std::trunc(e->real)); });
}

// ---- Logical --------------------------------------------------------------------------------------------

Evaluated all(const Call& call) {
  for (uint32_t i = 0; i < call.width(); ++i) {
    if (!call.arg(0, i)->boolean) return call.eval.boolean(false);
  }
  return call.eval.boolean(true);
}

Evaluated any(const Call& call) {
  for (uint32_t i = 0; i < call.width(); ++i) {
    if (call.arg(0, i)->boolean) return call.eval.boolean(true);
  }
  return call.eval.boolean(false);
}

Evaluated select(const Call& call) {
  return lift(call.eval, call.result,
              [&](uint32_t i) -> Evaluated { return call.arg(2, i)->boolean ? call.arg(1, i) : call.arg(0, i); });
}

struct Row {
  Builtin builtin;
  Evaluator evaluator;
};

constexpr Row kRows[] = {
    {Builtin::Abs, abs},     {Builtin::All, all},       {Builtin::Any, any},     {Builtin::Atan2, atan2},
    {Builtin::Clamp, clamp}, {Builtin::Fma, fma},       {Builtin::Frexp, frexp}, {Builtin::Ldexp, ldexp},
    {Builtin::Max, max},     {Builtin::Min, min},       {Builtin::Mix, mix},     {Builtin::Modf, modf},
    {Builtin::Pow, pow},     {Builtin::Select, select}, {Builtin::Sign, sign},   {Builtin::Smoothstep, smoothstep},
    {Builtin::Step, step},
};

}  // namespace

Evaluator find_math(Builtin builtin) {
  for (const Row& row : kRows) {
    if (row.builtin == builtin) return row.evaluator;
  }
  const bool found = std::ranges::find(kFunctions1, builtin, &Function1::builtin) != std::end(kFunctions1);
  return found ? function1 : nullptr;
}

}  // namespace kem::wgsl::sem::detail
