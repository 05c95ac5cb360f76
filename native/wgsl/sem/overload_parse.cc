// The notation of the signature tables (see parse_overloads).
#include <algorithm>
#include <charconv>

#include "wgsl/sem/overload.h"

namespace kem::wgsl::sem {
namespace {

struct ScalarName {
  std::string_view name;
  std::string_view spelling;
};
// Index is the scalar's number in a Pattern.
constexpr ScalarName kScalarNames[] = {{"ai", "abstract-int"},   {"i32", "i32"}, {"u32", "u32"},
                                       {"af", "abstract-float"}, {"f32", "f32"}, {"f16", "f16"},
                                       {"bool", "bool"}};

constexpr uint8_t bits(std::initializer_list<int> scalars) {
  uint8_t set = 0;
  for (const int scalar : scalars) set |= static_cast<uint8_t>(1 << scalar);
  return set;
}
struct SetName {
  std::string_view name;
  uint8_t set;
};
constexpr SetName kSets[] = {
    {"num", bits({0, 1, 2, 3, 4, 5})},
    {"snum", bits({0, 1, 3, 4, 5})},
    {"float", bits({3, 4, 5})},
    {"int", bits({0, 1, 2})},
    {"fnum", bits({1, 2, 4, 5})},
    {"fint", bits({1, 2})},
    {"ff", bits({4, 5})},
    {"all", bits({0, 1, 2, 3, 4, 5, 6})},
    {"texel", bits({1, 2, 4})},
};

constexpr std::pair<std::string_view, TextureDimension> kDimensions[] = {
    {"1d", TextureDimension::D1}, {"2d", TextureDimension::D2},     {"2d_array", TextureDimension::D2Array},
    {"3d", TextureDimension::D3}, {"cube", TextureDimension::Cube}, {"cube_array", TextureDimension::CubeArray}};

constexpr std::pair<std::string_view, TextureKind> kTexturePrefixes[] = {
    {"storage_", TextureKind::Storage},
    {"depth_multisampled_", TextureKind::DepthMultisampled},
    {"depth_", TextureKind::Depth},
    {"multisampled_", TextureKind::Multisampled}};

// Rows are literals of this program, checked by overload_test: what does not parse yields nonsense, not an error.
class RowParser {
 public:
  explicit RowParser(std::string_view row) : rest_(row) {}

  std::vector<Overload> parse(std::string_view name) {
    parse_variables();
    Overload overload;
    overload.variables = sets_;
    std::vector<Pattern> optional;
    std::vector<std::string> texts;
    skip_spaces();
    while (!rest_.empty() && !rest_.starts_with("->") && !rest_.starts_with('[')) {
      overload.parameters.push_back(parse_parameter());
      texts.push_back(last_text_);
      accept(",");
    }
    std::string optional_text;
    if (accept("[")) {
      accept(",");
      optional.push_back(parse_parameter());
      optional_text = last_text_;
      accept("]");
    }
    std::string result_text;
    if (accept("->")) {
      overload.result = parse_type();
      result_text = " -> " + last_text_;
    }
    std::vector<Overload> overloads{overload};
    overloads[0].text = text(name, texts, result_text);
    if (!optional.empty()) {
      overload.parameters.push_back(optional[0]);
      texts.push_back(optional_text);
      overload.text = text(name, texts, result_text);
      overloads.push_back(std::move(overload));
    }
    return overloads;
  }

 private:
  void skip_spaces() {
    while (rest_.starts_with(' ')) rest_.remove_prefix(1);
  }

  bool accept(std::string_view token) {
    skip_spaces();
    if (!rest_.starts_with(token)) return false;
    rest_.remove_prefix(token.size());
    skip_spaces();
    return true;
  }

  std::string_view word() {
    skip_spaces();
    size_t n = 0;
    while (n < rest_.size() &&
           (std::isalnum(static_cast<unsigned char>(rest_[n])) || rest_[n] == '_' || rest_[n] == '*'))
      n++;
    const std::string_view result = rest_.substr(0, n);
    rest_.remove_prefix(n);
    skip_spaces();
    return result;
  }

  void parse_variables() {
    if (rest_.find('|') == std::string_view::npos) return;
    while (!accept("|")) {
      letters_.push_back(word().front());
      accept(":");
      const std::string_view set = word();
      for (const SetName& row : kSets)
        if (row.name == set) sets_.push_back(row.set);
    }
  }

  int64_t number() {
    int64_t value = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (error == std::errc()) rest_.remove_prefix(static_cast<size_t>(end - rest_.data()));
    return value;
  }

  Pattern parse_parameter() {
    ParameterRule rule;
    const bool must = accept("!");
    if (must || accept("?")) {
      rule.must_be_constant = must;
      rule.has_range = true;
      rule.min = number();
      accept("..");
      rule.max = number();
    }
    Pattern pattern = parse_type();
    pattern.rule = rule;
    return pattern;
  }

  uint8_t parse_scalar() {
    const std::string_view name = word();
    for (size_t i = 0; i < std::size(kScalarNames); i++) {
      if (kScalarNames[i].name != name) continue;
      last_text_ = kScalarNames[i].spelling;
      return static_cast<uint8_t>(i);
    }
    last_text_ = name;
    const size_t index = letters_.find(name);
    return static_cast<uint8_t>(Pattern::kFirstVariable + (index == std::string::npos ? 0 : index));
  }

  static uint8_t dimension(char c) { return static_cast<uint8_t>(c >= '1' && c <= '4' ? c - '0' : c); }

  uint8_t parse_template_scalar(std::string_view generator) {
    accept("<");
    const uint8_t scalar = parse_scalar();
    accept(">");
    last_text_ = std::string(generator) + "<" + last_text_ + ">";
    return scalar;
  }

  Pattern parse_texture(std::string_view name) {
    Pattern pattern;
    pattern.kind = Pattern::Kind::Texture;
    std::string_view rest = name.substr(sizeof("texture_") - 1);
    pattern.texture_kind = rest == "external" ? TextureKind::External : TextureKind::Sampled;
    for (const auto& [prefix, kind] : kTexturePrefixes) {
      if (!rest.starts_with(prefix)) continue;
      rest.remove_prefix(prefix.size());
      pattern.texture_kind = kind;
      break;
    }
    pattern.dimension = TextureDimension::D2;
    for (const auto& [spelling, value] : kDimensions)
      if (spelling == rest) pattern.dimension = value;
    last_text_ = name;
    if (!accept("<")) return pattern;
    pattern.scalar = parse_scalar();
    last_text_ = std::string(name) + "<" + last_text_;
    if (accept(",")) {
      pattern.access = word();
      const std::string_view spelled = pattern.access == "r"   ? "read or read_write"
                                       : pattern.access == "w" ? "write or read_write"
                                                               : "any access";
      last_text_ = std::string(name) + "<format, " + std::string(spelled);
    }
    accept(">");
    last_text_ += ">";
    return pattern;
  }

  Pattern parse_result(std::string_view name, Pattern::Kind kind) {
    accept("<");
    Pattern pattern = parse_type();
    accept(">");
    pattern.kind = kind;
    last_text_ = "__" + std::string(name) + "_result<" + last_text_ + ">";
    return pattern;
  }

  Pattern parse_type() {
    const std::string_view start = rest_;
    const std::string_view name = word();
    Pattern pattern;
    if (name == "W") {
      pattern.rows = 'W';
      const uint8_t scalar = parse_template_scalar("vecN");
      const std::string element = last_text_.substr(5, last_text_.size() - 6);
      last_text_ = element + " or " + last_text_;
      pattern.scalar = scalar;
    } else if (name == "atomicptr") {
      pattern.kind = Pattern::Kind::AtomicPointer;
      pattern.scalar = parse_template_scalar("atomic");
      last_text_ = "ptr<storage or workgroup, " + last_text_ + ", read_write>";
    } else if (name.starts_with("texture_")) {
      pattern = parse_texture(name);
    } else if (name.starts_with("sampler")) {
      pattern.kind = Pattern::Kind::Sampler;
      pattern.comparison = name == "sampler_comparison";
      last_text_ = name;
    } else if (name == "frexp") {
      pattern = parse_result(name, Pattern::Kind::FrexpResult);
    } else if (name == "modf") {
      pattern = parse_result(name, Pattern::Kind::ModfResult);
    } else if (name == "exchange") {
      pattern = parse_result("atomic_compare_exchange", Pattern::Kind::ExchangeResult);
    } else if (name.starts_with("vec") && rest_.starts_with('<')) {
      pattern.rows = dimension(name[3]);
      pattern.scalar = parse_template_scalar(name);
    } else if (name.starts_with("mat") && rest_.starts_with('<')) {
      pattern.columns = dimension(name[3]);
      pattern.rows = dimension(name[5]);
      pattern.scalar = parse_template_scalar(name);
    } else {
      rest_ = start;
      pattern.scalar = parse_scalar();
    }
    return pattern;
  }

  std::string text(std::string_view name, const std::vector<std::string>& parameters, const std::string& result) const {
    std::string out;
    if (!name.empty() && !std::isalpha(static_cast<unsigned char>(name[0]))) {
      out = parameters.size() == 1 ? std::string(name) + parameters[0]
                                   : parameters[0] + " " + std::string(name) + " " + parameters[1];
    } else {
      out = std::string(name) + "(";
      for (size_t i = 0; i < parameters.size(); i++) out += (i == 0 ? "" : ", ") + parameters[i];
      out += ")";
    }
    out += result;
    for (size_t v = 0; v < letters_.size(); v++) {
      out += v == 0 ? " where " : "; ";
      out += letters_[v];
      out += " is ";
      std::vector<std::string_view> names;
      for (size_t i = 0; i < std::size(kScalarNames); i++)
        if (sets_[v] >> i & 1) names.push_back(kScalarNames[i].spelling);
      for (size_t i = 0; i < names.size(); i++) {
        if (i != 0) out += i + 1 == names.size() ? " or " : ", ";
        out += names[i];
      }
    }
    return out;
  }

  std::string_view rest_;
  std::string letters_;
  std::vector<uint8_t> sets_;
  std::string last_text_;
};

}  // namespace

std::vector<Overload> parse_overloads(std::string_view name, std::string_view row) {
  return RowParser(row).parse(name);
}

}  // namespace kem::wgsl::sem
