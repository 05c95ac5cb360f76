#include "cli/arguments.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace kem::cli {
namespace {

Error invalid(std::string message) { return {ErrorClass::InvalidArgument, std::move(message)}; }

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

template <class T>
bool parse_whole(std::string_view text, T& value, int base = 10) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  return error == std::errc() && end == text.data() + text.size();
}

bool parse_number(std::string_view text, double& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && std::isfinite(value);
}

}  // namespace

Result<Arguments> Arguments::parse(std::span<const std::string> words, std::span<const Option> options) {
  Arguments arguments;
  bool options_ended = false;
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string_view word = words[i];
    if (options_ended || !word.starts_with("--")) {
      if (!options_ended && word.size() > 1 && word[0] == '-') {
        return fail(invalid("no option '" + std::string(word) + "'"));
      }
      arguments.operands_.emplace_back(word);
      continue;
    }
    if (word == "--") {
      options_ended = true;
      continue;
    }
    const size_t equals = word.find('=');
    const std::string name(word.substr(2, equals == std::string_view::npos ? equals : equals - 2));
    const auto option = std::ranges::find(options, name, &Option::name);
    if (option == options.end()) return fail(invalid("no option '--" + name + "'"));
    std::string value;
    if (equals != std::string_view::npos) {
      if (option->value.empty()) return fail(invalid("option '--" + name + "' takes no value"));
      value = word.substr(equals + 1);
    } else if (!option->value.empty()) {
      if (++i == words.size()) return fail(invalid("option '--" + name + "' needs a value"));
      value = words[i];
    }
    arguments.values_[name].push_back(std::move(value));
  }
  return arguments;
}

std::optional<std::string> Arguments::single(std::string_view name) const {
  const auto found = values_.find(std::string(name));
  if (found == values_.end()) return std::nullopt;
  return found->second.back();
}

std::span<const std::string> Arguments::all(std::string_view name) const {
  const auto found = values_.find(std::string(name));
  if (found == values_.end()) return {};
  return found->second;
}

Result<uint64_t> Arguments::count(std::string_view name, uint64_t otherwise, uint64_t low, uint64_t high) const {
  const auto text = single(name);
  if (!text) return otherwise;
  KEM_TRY(const uint64_t value, parse_count(*text, name));
  if (value < low || value > high) {
    return fail(invalid("option '--" + std::string(name) + "' must be from " + std::to_string(low) + " to " +
                        std::to_string(high)));
  }
  return value;
}

Result<uint64_t> parse_count(std::string_view text, std::string_view what) {
  uint64_t value = 0;
  if (!parse_whole(text, value)) {
    return fail(invalid("'" + std::string(text) + "' for '--" + std::string(what) + "' is no count"));
  }
  return value;
}

Result<std::array<uint64_t, 3>> parse_workgroups(std::string_view text, std::string_view what) {
  const auto parts = split(text, ',');
  if (parts.size() > 3) return fail(invalid("'--" + std::string(what) + "' takes at most three counts"));
  std::array<uint64_t, 3> counts{1, 1, 1};
  for (size_t i = 0; i < parts.size(); ++i) {
    KEM_TRY(counts[i], parse_count(parts[i], what));
  }
  return counts;
}

Result<std::vector<uint8_t>> parse_words(std::string_view text, std::string_view what) {
  std::vector<uint8_t> bytes;
  if (text.empty()) return bytes;
  for (std::string_view part : split(text, ',')) {
    uint32_t word = 0;
    const bool hexadecimal = part.starts_with("0x") || part.starts_with("0X");
    if (!parse_whole(hexadecimal ? part.substr(2) : part, word, hexadecimal ? 16 : 10)) {
      return fail(invalid("'" + std::string(part) + "' for '--" + std::string(what) + "' is no u32"));
    }
    for (int shift = 0; shift < 32; shift += 8) bytes.push_back(static_cast<uint8_t>(word >> shift));
  }
  return bytes;
}

Result<wgsl::Constant> parse_constant(std::string_view text) {
  const size_t equals = text.find('=');
  if (equals == 0 || equals == std::string_view::npos) {
    return fail(invalid("constant '" + std::string(text) + "' is not NAME=VALUE"));
  }
  const std::string_view value = text.substr(equals + 1);
  wgsl::Constant constant{std::string(text.substr(0, equals)), 0};
  if (value == "true" || value == "false") {
    constant.value = value == "true" ? 1 : 0;
  } else if (!parse_number(value, constant.value)) {
    return fail(invalid("value '" + std::string(value) + "' of constant '" + constant.key + "' is no finite number"));
  }
  return constant;
}

Result<std::vector<wgsl::Constant>> parse_constants(std::span<const std::string> texts) {
  std::vector<wgsl::Constant> constants;
  for (const std::string& text : texts) {
    KEM_TRY(wgsl::Constant constant, parse_constant(text));
    constants.push_back(std::move(constant));
  }
  return constants;
}

}  // namespace kem::cli
