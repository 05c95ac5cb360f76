// "did you mean": the closest of a list of names.
#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace kem::wgsl {

// The candidate that is the fewest edits (insert, delete, replace, swap of neighbours; case is free) from `word`,
// if that is few enough for a slip: at most a third of the word's length, and at least one is allowed.
// Words longer than 64 bytes have no suggestion.
std::optional<std::string_view> suggest(std::string_view word, std::span<const std::string_view> candidates);

}  // namespace kem::wgsl
