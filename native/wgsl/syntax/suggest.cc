#include "wgsl/syntax/suggest.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace kem::wgsl {
namespace {

constexpr size_t kLongest = 64;

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// Optimal string alignment distance.
size_t distance(std::string_view a, std::string_view b) {
  using Row = std::array<size_t, kLongest + 1>;
  Row before{};
  Row previous{};
  Row current{};
  for (size_t j = 0; j <= b.size(); ++j) previous[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    current[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const bool same = lower(a[i - 1]) == lower(b[j - 1]);
      current[j] = std::min({previous[j] + 1, current[j - 1] + 1, previous[j - 1] + (same ? 0 : 1)});
      const bool swapped = i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]);
      if (swapped) current[j] = std::min(current[j], before[j - 2] + 1);
    }
    before = previous;
    previous = current;
  }
  return previous[b.size()];
}

}  // namespace

std::optional<std::string_view> suggest(std::string_view word, std::span<const std::string_view> candidates) {
  if (word.empty() || word.size() > kLongest) return std::nullopt;
  size_t best = std::max<size_t>(1, word.size() / 3) + 1;
  std::optional<std::string_view> result;
  for (std::string_view candidate : candidates) {
    if (candidate.size() > kLongest) continue;
    const size_t edits = distance(word, candidate);
    if (edits >= best) continue;
    best = edits;
    result = candidate;
  }
  return result;
}

}  // namespace kem::wgsl
