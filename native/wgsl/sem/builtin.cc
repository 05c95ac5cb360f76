#include "wgsl/sem/builtin.h"

#include <algorithm>
#include <array>
#include <utility>

namespace kem::wgsl::sem {
namespace {

constexpr std::string_view kNames[] = {
#define KEM_ROW(id, spelling) spelling,
    KEM_WGSL_BUILTINS(KEM_ROW)
#undef KEM_ROW
};

constexpr std::string_view kValueNames[] = {
#define KEM_ROW(id, spelling) spelling,
    KEM_WGSL_BUILTIN_VALUES(KEM_ROW)
#undef KEM_ROW
};

template <size_t N>
constexpr auto sorted_index(const std::string_view (&names)[N]) {
  std::array<std::pair<std::string_view, uint8_t>, N> index{};
  for (size_t i = 0; i < N; i++) index[i] = {names[i], static_cast<uint8_t>(i)};
  std::sort(index.begin(), index.end());
  return index;
}

constexpr auto kByName = sorted_index(kNames);

}  // namespace

std::string_view name(Builtin builtin) { return kNames[static_cast<size_t>(builtin)]; }

std::optional<Builtin> find_builtin(std::string_view name) {
  const auto it = std::lower_bound(kByName.begin(), kByName.end(), name,
                                   [](const auto& entry, std::string_view wanted) { return entry.first < wanted; });
  if (it == kByName.end() || it->first != name) return std::nullopt;
  return static_cast<Builtin>(it->second);
}

std::string_view name(BuiltinValue value) { return kValueNames[static_cast<size_t>(value)]; }

std::optional<BuiltinValue> find_builtin_value(std::string_view name) {
  const auto it = std::find(std::begin(kValueNames), std::end(kValueNames), name);
  if (it == std::end(kValueNames)) return std::nullopt;
  return static_cast<BuiltinValue>(it - std::begin(kValueNames));
}

}  // namespace kem::wgsl::sem
