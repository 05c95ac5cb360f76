// Files, standard streams and JSON text. Standard output carries results only; everything else is on standard
// error. Single-threaded.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace kem::cli {

// A whole file, or standard input for "-". IoError; InputTooLarge past `limit` bytes.
Result<std::vector<uint8_t>> read_file(const std::string& path, uint64_t limit);
Result<std::string> read_text(const std::string& path, uint64_t limit);
// Standard output for "-".
Status write_file(const std::string& path, std::span<const uint8_t> bytes);

// False if the stream no longer takes anything (a closed pipe).
bool write_output(std::string_view text);
bool write_output(std::span<const uint8_t> bytes);
void write_error(std::string_view text);

// JSON on one line; text that is not UTF-8 gets replacement characters instead of an exception.
std::string to_text(const nlohmann::json& value);

}  // namespace kem::cli
