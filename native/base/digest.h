// SHA-256 and the two text forms of digests that Arweave and our caches use.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kem {

using Sha256 = std::array<uint8_t, 32>;

Sha256 sha256(std::span<const uint8_t> bytes);
Sha256 sha256(std::string_view text);

std::string hex(std::span<const uint8_t> bytes);
// Even count of hex digits of either case, nothing else; nullopt otherwise.
std::optional<std::vector<uint8_t>> unhex(std::string_view text);

// RFC 4648 section 5, without padding: Arweave's form of a TXID.
std::string base64url(std::span<const uint8_t> bytes);
std::optional<std::vector<uint8_t>> unbase64url(std::string_view text);

}  // namespace kem
