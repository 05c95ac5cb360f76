// A command line split into options and operands by a command's table of options.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "wgsl/wgsl.h"

namespace kem::cli {

struct Option {
  std::string_view name;   // without the dashes
  std::string_view value;  // what the value is called in help; "" for a flag
  std::string_view help;
};

// Options are --NAME VALUE or --NAME=VALUE; `--` ends them; the word `-` is an operand. An option given twice
// keeps both values: single() takes the last.
class Arguments {
 public:
  // InvalidArgument: an unknown option, a value missing, a value for a flag.
  static Result<Arguments> parse(std::span<const std::string> words, std::span<const Option> options);

  const std::vector<std::string>& operands() const { return operands_; }
  bool has(std::string_view name) const { return values_.contains(std::string(name)); }
  std::optional<std::string> single(std::string_view name) const;
  std::span<const std::string> all(std::string_view name) const;
  bool json() const { return has("json"); }

  // A decimal count within [low, high]; `otherwise` where the option is absent.
  Result<uint64_t> count(std::string_view name, uint64_t otherwise, uint64_t low, uint64_t high) const;

 private:
  std::map<std::string, std::vector<std::string>> values_;
  std::vector<std::string> operands_;
};

// Values' text forms. Errors: InvalidArgument that names `what`.
Result<uint64_t> parse_count(std::string_view text, std::string_view what);
// One to three counts, separated by commas; those left out are 1.
Result<std::array<uint64_t, 3>> parse_workgroups(std::string_view text, std::string_view what);
// u32 words in decimal or 0x hexadecimal, separated by commas, as little-endian bytes.
Result<std::vector<uint8_t>> parse_words(std::string_view text, std::string_view what);
// NAME=VALUE; the value is a decimal number, true or false.
Result<wgsl::Constant> parse_constant(std::string_view text);
Result<std::vector<wgsl::Constant>> parse_constants(std::span<const std::string> texts);

}  // namespace kem::cli
