#include "wgsl/syntax/number.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>

namespace kem::wgsl {
namespace {

using ast::LiteralKind;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
bool is_hex_digit(char c) { return is_digit(c) || (lower(c) >= 'a' && lower(c) <= 'f'); }
uint32_t hex_value(char c) { return static_cast<uint32_t>(is_digit(c) ? c - '0' : lower(c) - 'a' + 10); }

char at(std::string_view text, size_t i) { return i < text.size() ? text[i] : '\0'; }

template <class Predicate>
size_t skip(std::string_view text, size_t i, Predicate predicate) {
  while (i < text.size() && predicate(text[i])) ++i;
  return i;
}

// The end of an exponent that starts at `i` with the letter `mark`; `i` if there is none.
size_t skip_exponent(std::string_view text, size_t i, char mark) {
  if (lower(at(text, i)) != mark) return i;
  size_t digits = i + 1;
  if (at(text, digits) == '+' || at(text, digits) == '-') ++digits;
  const size_t end = skip(text, digits, is_digit);
  return end == digits ? i : end;
}

bool is_hex(std::string_view text) { return at(text, 0) == '0' && lower(at(text, 1)) == 'x'; }
bool is_float_suffix(char c) { return c == 'f' || c == 'h'; }
bool is_int_suffix(char c) { return c == 'i' || c == 'u'; }

size_t scan_hex(std::string_view text) {
  size_t i = skip(text, 2, is_hex_digit);
  bool digits = i > 2;
  const bool point = at(text, i) == '.' && (digits || is_hex_digit(at(text, i + 1)));
  if (point) {
    i = skip(text, i + 1, is_hex_digit);
    digits = true;
  }
  if (!digits) return 0;
  const size_t exponent_end = skip_exponent(text, i, 'p');
  if (exponent_end != i) return exponent_end + (is_float_suffix(at(text, exponent_end)) ? 1 : 0);
  return i + (!point && is_int_suffix(at(text, i)) ? 1 : 0);
}

constexpr double kMaxF32 = std::numeric_limits<float>::max();
constexpr double kMaxF16 = 65504;

// Rounds to the nearest value of a binary format with `precision` significand bits whose smallest positive value
// is 2^min_exponent. Exact: all of it happens on powers of two.
double round_to(double value, int precision, int min_exponent) {
  if (value == 0) return value;
  const int quantum = std::max(std::ilogb(value) - precision + 1, min_exponent);
  return std::ldexp(std::nearbyint(std::ldexp(value, -quantum)), quantum);
}

// from_chars gives no value when the result is out of range; then the decimal exponent tells which way.
bool too_large(std::string_view digits) {
  long long magnitude = 0;  // of the first significant digit
  bool seen_point = false;
  bool seen_digit = false;
  size_t i = 0;
  for (; i < digits.size() && lower(digits[i]) != 'e'; ++i) {
    if (digits[i] == '.') {
      seen_point = true;
    } else if (digits[i] != '0' || seen_digit) {
      seen_digit = true;
      if (!seen_point) ++magnitude;
    } else if (seen_point) {
      --magnitude;
    }
  }
  if (!seen_digit) return false;
  long long exponent = 0;
  if (i < digits.size()) {
    const size_t sign = at(digits, i + 1) == '+' ? i + 2 : i + 1;
    const auto parsed = std::from_chars(digits.data() + sign, digits.data() + digits.size(), exponent);
    if (parsed.ec != std::errc()) return at(digits, i + 1) != '-';
  }
  return exponent > 0 && exponent > -magnitude;
}

template <class T>
T decimal(std::string_view digits) {
  T value = 0;
  const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (parsed.ec == std::errc()) return value;
  return too_large(digits) ? std::numeric_limits<T>::infinity() : T{0};
}

Number out_of_range(Number number, std::string_view literal, std::string_view type) {
  number.error = "'" + std::string(literal) + "' does not fit in " + std::string(type);
  return number;
}

Number decode_decimal_float(std::string_view literal) {
  Number number;
  const char suffix = literal.back();
  const std::string_view digits = is_float_suffix(suffix) ? literal.substr(0, literal.size() - 1) : literal;
  number.float_value = decimal<double>(digits);
  if (suffix == 'f') {
    number.kind = LiteralKind::F32;
    if (number.float_value > kMaxF32) return out_of_range(number, literal, "f32");
    number.float_value = static_cast<double>(decimal<float>(digits));
  } else if (suffix == 'h') {
    number.kind = LiteralKind::F16;
    if (number.float_value > kMaxF16) return out_of_range(number, literal, "f16");
    number.float_value = round_to(number.float_value, 11, -24);
  } else {
    number.kind = LiteralKind::AbstractFloat;
    if (std::isinf(number.float_value)) return out_of_range(number, literal, "an abstract float (64 bits)");
  }
  return number;
}

// significand * 2^exponent, with the significand's lowest bit set unless it is zero.
struct HexFloat {
  uint64_t significand = 0;
  int64_t exponent = 0;
  bool truncated = false;  // non-zero digits followed the sixteenth significant one
};

constexpr int64_t kExponentLimit = int64_t{1} << 40;  // beyond any format, far from overflow

HexFloat parse_hex_float(std::string_view literal) {
  HexFloat result;
  size_t i = 2;
  bool seen_point = false;
  for (; is_hex_digit(at(literal, i)) || at(literal, i) == '.'; ++i) {
    if (literal[i] == '.') {
      seen_point = true;
    } else if (result.significand >> 60 != 0) {
      result.truncated |= literal[i] != '0';
      if (!seen_point) result.exponent += 4;
    } else {
      result.significand = (result.significand << 4) | hex_value(literal[i]);
      if (seen_point) result.exponent -= 4;
    }
  }
  if (lower(at(literal, i)) == 'p') {
    const bool negative = at(literal, i + 1) == '-';
    int64_t exponent = 0;
    for (i += is_digit(at(literal, i + 1)) ? 1 : 2; is_digit(at(literal, i)); ++i) {
      exponent = std::min(exponent * 10 + (literal[i] - '0'), kExponentLimit);
    }
    result.exponent += negative ? -exponent : exponent;
  }
  if (result.significand == 0) return HexFloat{};
  const int zeros = std::countr_zero(result.significand);
  result.significand >>= zeros;
  result.exponent += zeros;
  return result;
}

Number decode_hex_float(std::string_view literal) {
  Number number;
  const HexFloat hex = parse_hex_float(literal);
  const bool has_exponent = literal.find_first_of("pP") != std::string_view::npos;
  const char suffix = has_exponent ? literal.back() : '\0';
  number.kind = suffix == 'f' ? LiteralKind::F32 : suffix == 'h' ? LiteralKind::F16 : LiteralKind::AbstractFloat;
  const int bits = static_cast<int>(std::bit_width(hex.significand));
  const int64_t top = hex.exponent + bits - 1;  // exponent of the highest bit
  struct Format {
    std::string_view name;
    int64_t max_exponent;
    int64_t min_exponent;
    int precision;
  };
  const Format format = suffix == 'f'   ? Format{"f32", 127, -149, 24}
                        : suffix == 'h' ? Format{"f16", 15, -24, 11}
                                        : Format{"an abstract float (64 bits)", 1023, -1074, 53};
  if (hex.significand != 0 && top > format.max_exponent) return out_of_range(number, literal, format.name);
  if (is_float_suffix(suffix) && hex.significand != 0 &&
      (hex.truncated || bits > format.precision || hex.exponent < format.min_exponent)) {
    number.error = "'" + std::string(literal) + "' is not exactly a value of " + std::string(format.name);
    return number;
  }
  const int exponent = static_cast<int>(std::clamp<int64_t>(hex.exponent, -4000, 4000));
  number.float_value = std::ldexp(static_cast<double>(hex.significand), exponent);
  if (std::isinf(number.float_value)) return out_of_range(number, literal, format.name);
  return number;
}

Number decode_int(std::string_view literal) {
  Number number;
  const char suffix = literal.back();
  const std::string_view body = is_int_suffix(suffix) ? literal.substr(0, literal.size() - 1) : literal;
  const bool hex = is_hex(body);
  const std::string_view digits = hex ? body.substr(2) : body;
  uint64_t value = 0;
  const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), value, hex ? 16 : 10);
  const bool overflow = parsed.ec != std::errc();
  if (suffix == 'i') {
    number.kind = LiteralKind::I32;
    if (overflow || value > INT32_MAX) return out_of_range(number, literal, "i32");
  } else if (suffix == 'u') {
    number.kind = LiteralKind::U32;
    if (overflow || value > UINT32_MAX) return out_of_range(number, literal, "u32");
  } else if (overflow || value > INT64_MAX) {
    return out_of_range(number, literal, "an abstract integer (64 bits)");
  }
  number.int_value = static_cast<int64_t>(value);
  return number;
}

// decimal_int_literal and the decimal forms `1f`, `1h` allow no zero in front of other digits.
bool has_leading_zero(std::string_view literal) {
  const size_t digits = skip(literal, 0, is_digit);
  const bool plain = digits == literal.size() || (digits + 1 == literal.size() && literal[digits] != '.');
  return plain && digits > 1 && literal[0] == '0';
}

}  // namespace

size_t scan_number(std::string_view text) {
  if (is_hex(text)) return scan_hex(text);
  size_t i = skip(text, 0, is_digit);
  const bool point = at(text, i) == '.' && (i > 0 || is_digit(at(text, i + 1)));
  if (point) i = skip(text, i + 1, is_digit);
  if (i == 0) return 0;
  const size_t exponent_end = skip_exponent(text, i, 'e');
  const bool is_float = point || exponent_end != i;
  i = exponent_end;
  const char suffix = at(text, i);
  return i + (is_float_suffix(suffix) || (!is_float && is_int_suffix(suffix)) ? 1 : 0);
}

Number decode_number(std::string_view literal) {
  const bool hex = is_hex(literal);
  if (!hex && has_leading_zero(literal)) {
    Number number;
    number.error = "'" + std::string(literal) + "' begins with 0: leading zeros are not allowed";
    return number;
  }
  const bool is_float = literal.find_first_of(hex ? ".pP" : ".eEfh") != std::string_view::npos;
  if (!is_float) return decode_int(literal);
  return hex ? decode_hex_float(literal) : decode_decimal_float(literal);
}

}  // namespace kem::wgsl
