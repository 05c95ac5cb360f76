// Tests write values as text: "1.5f", "-3i", "7u", "2h", "true", "1" (abstract-int), "0x1p-3" (abstract-float),
// "(1f, 2f)" for a vector, "((1f, 2f), (3f, 4f))" for a matrix of two columns, "{1.5f, 2i}" for a structure.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "wgsl/sem/const_eval.h"
#include "wgsl/sem/const_eval_impl.h"

namespace kem::wgsl::sem::testing {

class ValueText {
 public:
  ValueText(ConstEval& eval, std::string_view text) : eval_(eval), text_(text) {}

  // A comma-separated list.
  std::vector<const Value*> list() {
    std::vector<const Value*> out;
    for (skip(); at_ < text_.size() && text_[at_] != ')' && text_[at_] != '}'; skip()) {
      out.push_back(value());
      skip();
      if (at_ < text_.size() && text_[at_] == ',') ++at_;
    }
    return out;
  }

  const Value* value() {
    skip();
    if (text_[at_] == '(' || text_[at_] == '{') {
      const bool structure = text_[at_] == '{';
      ++at_;
      std::vector<const Value*> parts = list();
      ++at_;
      return *eval_.composite(structure ? structure_type(parts) : composite_type(parts), parts);
    }
    return scalar();
  }

 private:
  const Type* composite_type(const std::vector<const Value*>& parts) {
    const auto count = static_cast<uint32_t>(parts.size());
    if (const Vector* column = as_vector(parts[0]->type)) {
      return eval_.types().mat(column->element, count, column->width);
    }
    return eval_.types().vec(parts[0]->type, count);
  }

  // frexp's or modf's result, by the second member.
  const Type* structure_type(const std::vector<const Value*>& parts) {
    if (scalar_of(parts[1]->type)->is_integer_scalar()) return eval_.types().frexp_result(parts[0]->type);
    return eval_.types().modf_result(parts[0]->type);
  }

  const Value* scalar() {
    size_t end = at_;
    while (end < text_.size() && std::string_view(",)} ").find(text_[end]) == std::string_view::npos) ++end;
    const std::string word(text_.substr(at_, end - at_));
    at_ = end;
    if (word == "true" || word == "false") return eval_.boolean(word == "true");
    TypeTable& types = eval_.types();
    const bool hex = word.find("0x") != std::string::npos;
    const bool real = hex ? word.find('p') != std::string::npos : word.find_first_of(".efh") != std::string::npos;
    const char suffix = word.back();
    if (real) {
      const Type* type = suffix == 'f' ? types.f32() : suffix == 'h' ? types.f16() : types.abstract_float();
      return eval_.real(type, std::strtod(word.c_str(), nullptr));
    }
    const Type* type = suffix == 'i' ? types.i32() : suffix == 'u' ? types.u32() : types.abstract_int();
    return eval_.integer(type, static_cast<int64_t>(std::strtoll(word.c_str(), nullptr, 0)));
  }

  void skip() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }

  ConstEval& eval_;
  std::string_view text_;
  size_t at_ = 0;
};

// Type and exact bits, so that equal texts are equal values; reals as hexadecimal floating literals.
inline std::string exact(ConstEval& eval, const Value* value) {
  if (value->type->is(TypeKind::Bool)) return value->boolean ? "true" : "false";
  if (value->type->is_integer_scalar()) return spelling(value->type) + " " + std::to_string(value->integer);
  if (value->type->is_float_scalar()) {
    char text[64];
    std::snprintf(text, sizeof text, "%a", value->real);
    return spelling(value->type) + " " + text;
  }
  std::string out = spelling(value->type) + "(";
  for (uint64_t i = 0; i < detail::component_count(value->type); ++i)
    out += exact(eval, eval.component(value, i)) + ", ";
  return out + ")";
}

}  // namespace kem::wgsl::sem::testing
