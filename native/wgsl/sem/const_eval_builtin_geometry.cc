// Functions of whole vectors (spec "cross", "distance", "faceForward", "length", "normalize", "reflect",
// "refract"): by the formulas that give their accuracy and their domains, an operation of the type at a time.
#include <array>
#include <cmath>

#include "wgsl/sem/const_eval_impl.h"

namespace kem::wgsl::sem::detail {
namespace {

struct Numbers {
  std::array<double, 4> at{};
  uint32_t width = 1;
};

Numbers numbers(const Call& call, size_t argument) {
  Numbers out;
  out.width = width_of(call.args[argument]->type);
  for (uint32_t i = 0; i < out.width; ++i) out.at[i] = call.real(argument, i);
  return out;
}

double dot(Real& t, const Numbers& a, const Numbers& b) {
  double sum = t.mul(a.at[0], b.at[0]);
  for (uint32_t i = 1; i < a.width; ++i) sum = t.add(sum, t.mul(a.at[i], b.at[i]));
  return sum;
}

double length(Real& t, const Numbers& v) { return v.width == 1 ? std::fabs(v.at[0]) : t(std::sqrt(dot(t, v, v))); }

Evaluated scalar_result(const Call& call, const Real& t, double value) {
  if (!t.finite()) return call.not_finite(call.result);
  return call.eval.real(call.result, value);
}

Evaluated vector_result(const Call& call, const Real& t, const Numbers& value) {
  if (!t.finite()) return call.not_finite(call.scalar());
  return lift(call.eval, call.result,
              [&](uint32_t i) -> Evaluated { return call.eval.real(call.scalar(), value.at[i]); });
}

Evaluated length_call(const Call& call) {
  Real t(call.result);
  return scalar_result(call, t, length(t, numbers(call, 0)));
}

Evaluated distance(const Call& call) {
  Real t(call.result);
  Numbers difference = numbers(call, 0);
  const Numbers other = numbers(call, 1);
  for (uint32_t i = 0; i < difference.width; ++i) difference.at[i] = t.sub(difference.at[i], other.at[i]);
  return scalar_result(call, t, length(t, difference));
}

Evaluated normalize(const Call& call) {
  Real t(call.scalar());
  Numbers v = numbers(call, 0);
  const double norm = length(t, v);
  if (norm == 0) return call.fail("a vector of length zero has no direction");
  for (uint32_t i = 0; i < v.width; ++i) v.at[i] = t.div(v.at[i], norm);
  return vector_result(call, t, v);
}

Evaluated cross(const Call& call) {
  Real t(call.scalar());
  const Numbers a = numbers(call, 0), b = numbers(call, 1);
  Numbers out;
  out.width = 3;
  for (uint32_t i = 0; i < 3; ++i) {
    const uint32_t j = (i + 1) % 3, k = (i + 2) % 3;
    out.at[i] = t.sub(t.mul(a.at[j], b.at[k]), t.mul(a.at[k], b.at[j]));
  }
  return vector_result(call, t, out);
}

Evaluated face_forward(const Call& call) {
  Real t(call.scalar());
  Numbers out = numbers(call, 0);
  if (!(dot(t, numbers(call, 1), numbers(call, 2)) < 0)) {
    for (double& x : out.at) x = -x;
  }
  return vector_result(call, t, out);
}

// e1 - 2 * dot(e2, e1) * e2
Evaluated reflect(const Call& call) {
  Real t(call.scalar());
  Numbers incident = numbers(call, 0);
  const Numbers normal = numbers(call, 1);
  const double factor = t.mul(2, dot(t, normal, incident));
  for (uint32_t i = 0; i < incident.width; ++i) {
    incident.at[i] = t.sub(incident.at[i], t.mul(factor, normal.at[i]));
  }
  return vector_result(call, t, incident);
}

// k = 1 - e3 * e3 * (1 - dot(e2, e1) * dot(e2, e1)); 0 if k < 0, else e3 * e1 - (e3 * dot(e2, e1) + sqrt(k)) * e2
Evaluated refract(const Call& call) {
  Real t(call.scalar());
  Numbers out = numbers(call, 0);
  const Numbers normal = numbers(call, 1);
  const double ratio = call.real(2);
  const double cosine = dot(t, normal, out);
  const double k = t.sub(1, t.mul(t.mul(ratio, ratio), t.sub(1, t.mul(cosine, cosine))));
  if (!t.finite()) return call.not_finite(call.scalar());
  if (k < 0) return call.eval.zero(call.result);
  const double factor = t.add(t.mul(ratio, cosine), t(std::sqrt(k)));
  for (uint32_t i = 0; i < out.width; ++i) out.at[i] = t.sub(t.mul(ratio, out.at[i]), t.mul(factor, normal.at[i]));
  return vector_result(call, t, out);
}

}  // namespace

Evaluator find_geometry(Builtin builtin) {
  switch (builtin) {
    case Builtin::Cross:
      return cross;
    case Builtin::Distance:
      return distance;
    case Builtin::FaceForward:
      return face_forward;
    case Builtin::Length:
      return length_call;
    case Builtin::Normalize:
      return normalize;
    case Builtin::Reflect:
      return reflect;
    case Builtin::Refract:
      return refract;
    default:
      return nullptr;
  }
}

}  // namespace kem::wgsl::sem::detail
