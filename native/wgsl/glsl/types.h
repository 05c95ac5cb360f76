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
  std::string text(const sem::Type* type, Placement placement = Placement::Plain);
  // The members of a structure, a line each, with padding where `placement` asks for it.
  std::string members(const sem::Struct* type, Placement placement, std::string_view indent);
  void append_text(std::string& out, const sem::Type* type);
  // A constant expression.
  std::string constant(const sem::Value* value);
  void append_constant(std::string& out, const sem::Value* value);
  std::string zero(const sem::Type* type);

  const std::string& declarations() const { return declarations_; }
  // Whether the constants together have more scalars than a shader should; their text is of no use then.
  bool too_large() const { return scalars_ > kMaxConstantScalars; }

 private:
  std::string structure(const sem::Struct* type, Placement placement);
  static void append_scalar(std::string& out, const sem::Value& value);
  std::string composite(const sem::Value& value);
  std::string components(const sem::Value& value);
  std::string zero_components(const sem::Type* type);

  Names& names_;
  Layouts layouts_;
  std::string declarations_;
  std::map<std::pair<const sem::Struct*, Placement>, std::string> structures_;
  std::unordered_map<std::string, std::string> constants_;  // declaration without the name -> name
  std::unordered_map<const sem::Value*, std::string> by_value_;
  std::unordered_map<const sem::Type*, std::string> zeros_;
  uint64_t scalars_ = 0;  // of the named constants
};

}  // namespace kem::wgsl::glsl
