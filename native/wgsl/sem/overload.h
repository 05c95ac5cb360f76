// Overload resolution (spec "Conversion Rank", "Overload Resolution") over signatures that are patterns: scalar
// variables range over sets of scalar types, dimension variables over vector widths and matrix shapes.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/small_vector.h"
#include "wgsl/sem/type.h"

namespace kem::wgsl::sem {

// Spec "Conversion Rank"; nullopt is infinity. The load rule has been applied already.
std::optional<uint32_t> conversion_rank(const Type* from, const Type* to);

// The most preferable scalar type that all of `scalars` convert to; null if there is none.
const Type* common_scalar(TypeTable& types, std::span<const Type* const> scalars, bool allow_abstract);

// `type` with its abstract numerics made concrete: abstract-int → i32, abstract-float → f32.
const Type* concretize(TypeTable& types, const Type* type);

// What a parameter's value must be, beyond its type.
struct ParameterRule {
  bool must_be_constant = false;
  bool has_range = false;  // applies to a constant's every component
  int64_t min = 0, max = 0;
};

// A type with variables. Scalars: 0..6 are fixed types, kFirstVariable + i is the i-th variable. Dimensions:
// 1..4 are fixed, larger numbers are letters.
struct Pattern {
  enum class Kind : uint8_t {
    Shape,          // scalar, vector or matrix: columns × rows of scalar
    AtomicPointer,  // ptr<storage or workgroup, atomic<scalar>, read_write>
    Texture,        // texture with `scalar` components where it has any
    Sampler,
    FrexpResult,  // of a Shape
    ModfResult,
    ExchangeResult
  };
  static constexpr uint8_t kFirstVariable = 8;
  Kind kind = Kind::Shape;
  uint8_t scalar = 0;
  uint8_t columns = 1;
  uint8_t rows = 1;
  TextureKind texture_kind{};
  TextureDimension dimension{};
  std::string_view access;  // Storage textures: "r", "w" or "*"
  bool comparison = false;  // Sampler
  ParameterRule rule;
};

struct Overload {
  static constexpr size_t kMaxVariables = 4;
  std::vector<uint8_t> variables;  // per scalar variable, the set of allowed scalars (bit per scalar)
  std::vector<Pattern> parameters;
  std::optional<Pattern> result;
  std::string text;  // as diagnostics show it
};

// Parses a row of the table:
//   [VAR:SET {VAR:SET} '|'] parameters ['->' result]
// SET is num, snum (no u32), float, int, fnum (concrete numerics), fint (i32, u32), ff (f32, f16), all (with
// bool), call (concrete scalars). Types: S, W<S> (scalar or vector), vecN<S>, vec3<f32>, matCxR<S>, vecC<S>,
// atomicptr<S>, texture names (storage ones as texture_storage_2d<F,w>), sampler, frexp<W<S>>. `[, T]` at the end of
// the parameters is optional: two overloads. `!a..b T` must be a const-expression in that range; `?a..b T` be in it if
// constant.
std::vector<Overload> parse_overloads(std::string_view name, std::string_view row);

struct Argument {
  const Type* type;  // after the load rule
  bool constant;     // is a const-expression
};

using Arguments = SmallVector<Argument, 4>;

struct Match {
  const Overload* overload = nullptr;
  SmallVector<const Type*, 4> parameters;
  SmallVector<uint32_t, 4> ranks;
  const Type* result = nullptr;  // Void if the overload has none
};

// The single most preferable overload. On failure `match.overload` is null.
Match resolve_overload(TypeTable& types, std::span<const Overload> overloads, std::span<const Argument> arguments);

// The same with a memory: a module asks for the same few matches again and again.
class OverloadMemory {
 public:
  OverloadMemory() {
    places_.fill(kNone);
    entries_.reserve(kMostEntries / 4);
  }

  // Good until the next call.
  const Match& resolve(TypeTable& types, std::span<const Overload> overloads, std::span<const Argument> arguments);

 private:
  static constexpr size_t kMostArguments = 3;  // with more, nothing is remembered
  static constexpr size_t kMostEntries = 128;  // with more, all are forgotten
  static constexpr int kPlaceBits = 8;
  static constexpr uint8_t kNone = UINT8_MAX;
  struct Entry {
    const Overload* overloads = nullptr;
    std::array<const Type*, kMostArguments> types{};  // null beyond the arguments
    bool constant = false;                            // all of them are
    Match match;
  };
  // Indices of entries, by hash: each is at its place or behind, before the next that has none.
  std::array<uint8_t, size_t{1} << kPlaceBits> places_;
  std::vector<Entry> entries_;
  Match other_;
};

}  // namespace kem::wgsl::sem
