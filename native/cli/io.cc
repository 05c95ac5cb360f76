#include "cli/io.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>

namespace kem::cli {
namespace {

struct CloseFile {
  void operator()(std::FILE* file) const {
    if (file != stdin && file != stdout) std::fclose(file);
  }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

Error io_error(const std::string& path, std::string_view what) {
  const int reason = errno;
  return {ErrorClass::IoError, std::string(what) + " '" + path + "': " + std::strerror(reason)};
}

bool write_all(std::FILE* stream, std::span<const uint8_t> bytes) {
  return std::fwrite(bytes.data(), 1, bytes.size(), stream) == bytes.size() && std::fflush(stream) == 0;
}

std::span<const uint8_t> as_bytes(std::string_view text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

}  // namespace

Result<std::vector<uint8_t>> read_file(const std::string& path, uint64_t limit) {
  const File file(path == "-" ? stdin : std::fopen(path.c_str(), "rb"));
  if (!file) return fail(io_error(path, "cannot open"));
  std::vector<uint8_t> bytes;
  for (;;) {
    const size_t used = bytes.size();
    bytes.resize(used + std::max<size_t>(used, 1u << 16));
    const size_t got = std::fread(bytes.data() + used, 1, bytes.size() - used, file.get());
    bytes.resize(used + got);
    if (got == 0) break;
    if (bytes.size() > limit) {
      return fail(ErrorClass::InputTooLarge, "'" + path + "' is longer than " + std::to_string(limit) + " bytes");
    }
  }
  if (std::ferror(file.get()) != 0) return fail(io_error(path, "cannot read"));
  return bytes;
}

Result<std::string> read_text(const std::string& path, uint64_t limit) {
  KEM_TRY(const std::vector<uint8_t> bytes, read_file(path, limit));
  return std::string(bytes.begin(), bytes.end());
}

Status write_file(const std::string& path, std::span<const uint8_t> bytes) {
  File file(path == "-" ? stdout : std::fopen(path.c_str(), "wb"));
  if (!file || !write_all(file.get(), bytes)) return fail(io_error(path, "cannot write"));
  return {};
}

bool write_output(std::string_view text) { return write_all(stdout, as_bytes(text)); }
bool write_output(std::span<const uint8_t> bytes) { return write_all(stdout, bytes); }
void write_error(std::string_view text) { write_all(stderr, as_bytes(text)); }

std::string to_text(const nlohmann::json& value) {
  return value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace kem::cli
