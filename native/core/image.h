// PNG and JPEG to RGBA8 pixels and back, for the contract's image mode. Hostile input: sizes are checked before
// any pixel is decoded.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"

namespace kem::core {

struct Image {
  uint32_t width = 0;
  uint32_t height = 0;
  std::vector<uint8_t> rgba;  // rows from the top, 4 bytes a pixel, alpha not premultiplied
};

// By its first bytes.
bool is_image(std::span<const uint8_t> bytes);

// InvalidInput if it cannot be decoded, InputTooLarge if its pixels would take more than `most_bytes`.
Result<Image> decode_image(std::span<const uint8_t> bytes, uint64_t most_bytes);

// `rgba` has width × height × 4 bytes.
Result<std::vector<uint8_t>> encode_png(uint32_t width, uint32_t height, std::span<const uint8_t> rgba);

}  // namespace kem::core
