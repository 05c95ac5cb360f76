#include "core/image.h"

#include <png.h>

#include <algorithm>
#include <array>
#include <csetjmp>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <string>

// jpeglib.h needs size_t and FILE before it.
#include <jpeglib.h>

namespace kem::core {
namespace {

constexpr uint64_t kPixelBytes = 4;
// Each scan of a progressive JPEG costs a pass over every coefficient: a small file may ask for thousands.
constexpr int kMostScans = 64;

constexpr std::array<uint8_t, 8> kPngSignature{0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
constexpr std::array<uint8_t, 3> kJpegSignature{0xff, 0xd8, 0xff};

template <size_t N>
bool begins_with(std::span<const uint8_t> bytes, const std::array<uint8_t, N>& signature) {
  return bytes.size() >= N && std::equal(signature.begin(), signature.end(), bytes.begin());
}

Status check_size(uint64_t width, uint64_t height, uint64_t most_bytes) {
  if (width == 0 || height == 0) return fail(ErrorClass::InvalidInput, "the image has no pixels");
  // Both are below 2^32, so the division is the only product that may not overflow.
  if (width > most_bytes / kPixelBytes / height) {
    return fail(ErrorClass::InputTooLarge, "the image of " + std::to_string(width) + " × " + std::to_string(height) +
                                               " pixels takes more than " + std::to_string(most_bytes) + " bytes");
  }
  return {};
}

class PngImage {
 public:
  PngImage() { image_.version = PNG_IMAGE_VERSION; }
  ~PngImage() { png_image_free(&image_); }
  PngImage(const PngImage&) = delete;
  PngImage& operator=(const PngImage&) = delete;
  png_image* operator->() { return &image_; }
  png_image* get() { return &image_; }
  std::string message() const { return image_.message; }

 private:
  png_image image_{};
};

Result<Image> decode_png(std::span<const uint8_t> bytes, uint64_t most_bytes) {
  PngImage png;
  if (png_image_begin_read_from_memory(png.get(), bytes.data(), bytes.size()) == 0) {
    return fail(ErrorClass::InvalidInput, "the PNG image cannot be read: " + png.message());
  }
  KEM_CHECK(check_size(png->width, png->height, most_bytes));
  png->format = PNG_FORMAT_RGBA;
  Image image{png->width, png->height, std::vector<uint8_t>(PNG_IMAGE_SIZE(*png.get()))};
  if (png_image_finish_read(png.get(), nullptr, image.rgba.data(), 0, nullptr) == 0) {
    return fail(ErrorClass::InvalidInput, "the PNG image cannot be decoded: " + png.message());
  }
  return image;
}

// libjpeg leaves by longjmp, so the functions between setjmp and its calls hold nothing with a destructor.
struct JpegReader {
  jpeg_decompress_struct jpeg{};
  jpeg_error_mgr errors{};
  jpeg_progress_mgr progress{};
  std::jmp_buf jump{};
  std::array<char, JMSG_LENGTH_MAX> message{};
};

void leave(j_common_ptr common) {
  auto* reader = static_cast<JpegReader*>(common->client_data);
  common->err->format_message(common, reader->message.data());
  std::longjmp(reader->jump, 1);
}

void keep_silent(j_common_ptr) {}
void ignore_warning(j_common_ptr, int) {}

void count_scans(j_common_ptr common) {
  if (reinterpret_cast<j_decompress_ptr>(common)->input_scan_number <= kMostScans) return;
  auto* reader = static_cast<JpegReader*>(common->client_data);
  constexpr std::string_view kMessage = "too many scans";
  std::copy(kMessage.begin(), kMessage.end(), reader->message.begin());
  reader->message[kMessage.size()] = 0;
  std::longjmp(reader->jump, 1);
}

bool read_jpeg_header(JpegReader& reader, const uint8_t* bytes, size_t size) {
  if (setjmp(reader.jump) != 0) return false;
  jpeg_create_decompress(&reader.jpeg);
  reader.jpeg.client_data = &reader;
  reader.jpeg.progress = &reader.progress;
  jpeg_mem_src(&reader.jpeg, bytes, static_cast<unsigned long>(size));
  jpeg_read_header(&reader.jpeg, TRUE);
  reader.jpeg.out_color_space = JCS_EXT_RGBA;
  return true;
}

bool read_jpeg_pixels(JpegReader& reader, uint8_t* rgba, size_t row_bytes) {
  if (setjmp(reader.jump) != 0) return false;
  jpeg_start_decompress(&reader.jpeg);
  while (reader.jpeg.output_scanline < reader.jpeg.output_height) {
    JSAMPROW row = rgba + row_bytes * reader.jpeg.output_scanline;
    jpeg_read_scanlines(&reader.jpeg, &row, 1);
  }
  jpeg_finish_decompress(&reader.jpeg);
  return true;
}

Result<Image> decode_jpeg(std::span<const uint8_t> bytes, uint64_t most_bytes) {
  struct Owner {
    JpegReader reader;
    ~Owner() { jpeg_destroy_decompress(&reader.jpeg); }
  } owner;
  JpegReader& reader = owner.reader;
  reader.jpeg.client_data = &reader;
  reader.jpeg.err = jpeg_std_error(&reader.errors);
  reader.errors.error_exit = leave;
  reader.errors.output_message = keep_silent;
  reader.errors.emit_message = ignore_warning;
  reader.progress.progress_monitor = count_scans;
  const auto refuse = [&] {
    return fail(ErrorClass::InvalidInput, std::string("the JPEG image cannot be decoded: ") + reader.message.data());
  };
  if (!read_jpeg_header(reader, bytes.data(), bytes.size())) return refuse();
  KEM_CHECK(check_size(reader.jpeg.image_width, reader.jpeg.image_height, most_bytes));
  Image image{reader.jpeg.image_width, reader.jpeg.image_height, {}};
  const size_t row_bytes = size_t{image.width} * kPixelBytes;
  image.rgba.resize(row_bytes * image.height);
  if (!read_jpeg_pixels(reader, image.rgba.data(), row_bytes)) return refuse();
  return image;
}

}  // namespace

bool is_image(std::span<const uint8_t> bytes) {
  return begins_with(bytes, kPngSignature) || begins_with(bytes, kJpegSignature);
}

Result<Image> decode_image(std::span<const uint8_t> bytes, uint64_t most_bytes) {
  if (begins_with(bytes, kPngSignature)) return decode_png(bytes, most_bytes);
  if (begins_with(bytes, kJpegSignature)) return decode_jpeg(bytes, most_bytes);
  return fail(ErrorClass::InvalidInput, "the input is neither a PNG nor a JPEG image");
}

Result<std::vector<uint8_t>> encode_png(uint32_t width, uint32_t height, std::span<const uint8_t> rgba) {
  if (rgba.size() != uint64_t{width} * height * kPixelBytes) {
    return fail(ErrorClass::Internal, "the pixels are not the image's");
  }
  PngImage png;
  png->width = width;
  png->height = height;
  png->format = PNG_FORMAT_RGBA;
  png->flags = PNG_IMAGE_FLAG_FAST;
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(*png.get());
  std::vector<uint8_t> bytes(size);
  if (png_image_write_to_memory(png.get(), bytes.data(), &size, 0, rgba.data(), 0, nullptr) == 0) {
    return fail(ErrorClass::Internal, "the PNG image cannot be written: " + png.message());
  }
  bytes.resize(size);
  return bytes;
}

}  // namespace kem::core
