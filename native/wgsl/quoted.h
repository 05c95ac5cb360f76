// Names in messages.
#pragma once

#include <string>
#include <string_view>

namespace kem::wgsl {

// A name between quotes. An object, not a function: std::quoted must not be found in its place by the argument's type.
inline constexpr auto quoted = [](std::string_view name) { return "'" + std::string(name) + "'"; };

}  // namespace kem::wgsl
