#include "core/image.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdio>
#include <string>

// jpeglib.h needs size_t and FILE before it.
#include <jpeglib.h>

#include <cstdlib>

namespace kem::core {
namespace {

using ::testing::HasSubstr;

constexpr uint64_t kPlenty = 1u << 24;

std::vector<uint8_t> encode_jpeg(uint32_t width, uint32_t height, bool progressive) {
  jpeg_compress_struct jpeg{};
  jpeg_error_mgr errors{};
  jpeg.err = jpeg_std_error(&errors);
  jpeg_create_compress(&jpeg);
  unsigned char* memory = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&jpeg, &memory, &size);
  jpeg.image_width = width;
  jpeg.image_height = height;
  jpeg.input_components = 3;
  jpeg.in_color_space = JCS_RGB;
  jpeg_set_defaults(&jpeg);
  jpeg_set_quality(&jpeg, 100, TRUE);
  if (progressive) jpeg_simple_progression(&jpeg);
  jpeg_start_compress(&jpeg, TRUE);
  std::vector<uint8_t> row(size_t{width} * 3, 200);
  while (jpeg.next_scanline < jpeg.image_height) {
    JSAMPROW rows = row.data();
    jpeg_write_scanlines(&jpeg, &rows, 1);
  }
  jpeg_finish_compress(&jpeg);
  jpeg_destroy_compress(&jpeg);
  std::vector<uint8_t> bytes(memory, memory + size);
  std::free(memory);
  return bytes;
}

std::vector<uint8_t> pixels(uint32_t width, uint32_t height) {
  std::vector<uint8_t> rgba(size_t{width} * height * 4);
  for (size_t i = 0; i < rgba.size(); ++i) rgba[i] = static_cast<uint8_t>(i * 37);
  return rgba;
}

TEST(Image, PngKeepsEveryPixel) {
  const auto rgba = pixels(37, 11);
  const auto png = encode_png(37, 11, rgba);
  ASSERT_TRUE(png) << png.error().message;
  EXPECT_TRUE(is_image(*png));
  const auto image = decode_image(*png, kPlenty);
  ASSERT_TRUE(image) << image.error().message;
  EXPECT_EQ(image->width, 37u);
  EXPECT_EQ(image->height, 11u);
  EXPECT_EQ(image->rgba, rgba);
}

TEST(Image, JpegBecomesOpaquePixels) {
  for (const bool progressive : {false, true}) {
    const auto image = decode_image(encode_jpeg(20, 10, progressive), kPlenty);
    ASSERT_TRUE(image) << image.error().message;
    EXPECT_EQ(image->width, 20u);
    ASSERT_EQ(image->rgba.size(), 800u);
    EXPECT_NEAR(image->rgba[0], 200, 2);
    EXPECT_EQ(image->rgba[3], 255);
  }
}

TEST(Image, SizesAreBoundedBeforePixelsAreDecoded) {
  const auto png = *encode_png(64, 64, pixels(64, 64));
  EXPECT_TRUE(decode_image(png, 64 * 64 * 4));
  const auto refused = decode_image(png, 64 * 64 * 4 - 1);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().error_class, ErrorClass::InputTooLarge);
  EXPECT_THAT(refused.error().message, HasSubstr("64 × 64"));
  // A header that promises 2^31-1 pixels a side, with a wrong checksum or a right one, takes no memory.
  auto bomb = png;
  for (size_t i = 16; i < 24; ++i) bomb[i] = i % 4 == 0 ? 0x7f : 0xff;
  EXPECT_FALSE(decode_image(bomb, kPlenty));
  auto jpeg = encode_jpeg(20, 10, false);
  EXPECT_FALSE(decode_image(jpeg, 20 * 10 * 4 - 1));
}

TEST(Image, BrokenFilesAreInvalidInput) {
  auto png = *encode_png(64, 64, pixels(64, 64));
  auto jpeg = encode_jpeg(64, 64, true);
  for (size_t length = 3; length < png.size(); length += 97) {
    const auto result = decode_image(std::span(png).first(length), kPlenty);
    ASSERT_FALSE(result) << length;
    EXPECT_EQ(result.error().error_class, ErrorClass::InvalidInput);
  }
  for (size_t length = 3; length < 200; ++length) decode_image(std::span(jpeg).first(length), kPlenty);
  // Every byte turned over in turn: an answer of either kind, and no crash.
  for (size_t at = 0; at < 700 && at < jpeg.size(); ++at) {
    jpeg[at] ^= 0xff;
    decode_image(jpeg, kPlenty);
    jpeg[at] ^= 0xff;
  }
  for (size_t at = 0; at < 300; ++at) {
    png[at] ^= 0xff;
    decode_image(png, kPlenty);
    png[at] ^= 0xff;
  }
  EXPECT_FALSE(is_image(std::span(png).first(4)));
  EXPECT_FALSE(is_image({}));
  EXPECT_FALSE(decode_image({}, kPlenty));
}

}  // namespace
}  // namespace kem::core
