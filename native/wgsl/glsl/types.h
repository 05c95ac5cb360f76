// Declarations that the shader needs once: structures (plain and, where padding differs, as laid out in buffers)
// and constants too large to repeat.
#pragma once

#include <map>
#include <string>
#include <unordered_map>
#include <utility>

#include "wgsl/glsl/layout.h"
#include "wgsl/glsl/names.h"
#include "wgsl/sem/type.h"
#include "wgsl/sem/value.h"

namespace kem::wgsl::glsl {

// Where a type's value lives: in a buffer, or anywhere else.
enum class Placement : uint8_t { Plain, Buffer };

class Types {
 public:
  static constexpr uint64_t kMaxConstantScalars = 1u << 20;

  explicit Types(Names& names) : names_(names) {}

  // The type as it stands in front of a declared name: "float[3]". Declares structures on first use.
  void append_text(Text& out, const sem::Type* type, Placement placement = Placement::Plain);
  std::string text(const sem::Type* type, Placement placement = Placement::Plain);
  // The members of a structure, a line each, with padding where `placement` asks for it.
  void append_members(Text& out, const sem::Struct* type, Placement placement);
  // A constant expression.
  void append_constant(Text& out, const sem::Value* value);
  std::string constant(const sem::Value* value);
  std::string zero(const sem::Type* type);

  std::string_view declarations() const { return declarations_.view(); }
  // Whether the constants together have more scalars than a shader should; their text is of no use then.
  bool too_large() const { return scalars_ > kMaxConstantScalars; }

 private:
  std::string_view structure(const sem::Struct* type, Placement placement);
  static void append_scalar(Text& out, const sem::Value& value);
  std::string composite(const sem::Value& value);
  void append_components(Text& out, const sem::Value& value);
  void append_zero_components(Text& out, const sem::Type* type);

  Names& names_;
  Layouts layouts_;
  Text declarations_;
  std::map<std::pair<const sem::Struct*, Placement>, std::string_view> structures_;
  std::unordered_map<std::string, std::string_view> constants_;  // declaration without the name -> name
  std::unordered_map<const sem::Value*, std::string_view> by_value_;
  std::unordered_map<const sem::Type*, std::string_view> zeros_;
  uint64_t scalars_ = 0;  // of the named constants
};

}  // namespace kem::wgsl::glsl
