// What a name means, and where (spec "Declaration and Scope").
#pragma once

#include <deque>
#include <optional>
#include <string_view>
#include <vector>

#include "wgsl/sem/program.h"

namespace kem::wgsl::sem {

// A predeclared type-generator. For vectors and matrices `columns` and `rows` are the shape (a vector has one
// column); for textures the kind and the dimension.
struct Generator {
  enum class Kind : uint8_t { Vector, Matrix, Array, Atomic, Pointer, Texture, Buffer };
  Kind kind;
  uint8_t columns = 0;
  uint8_t rows = 0;
  TextureKind texture_kind = TextureKind::Sampled;
  TextureDimension dimension = TextureDimension::D2;
};

// The object that an identifier denotes.
struct Entity {
  enum class Kind : uint8_t {
    Error,  // a declaration with an error of its own: whatever uses it stays silent
    Variable,
    Function,
    Type,
    Generator,
    Builtin,
    AddressSpace,
    AccessMode,
    TexelFormat
  };
  Kind kind = Kind::Error;
  const Variable* variable = nullptr;
  const Function* function = nullptr;
  const Type* type = nullptr;
  Generator generator{};
  Builtin builtin{};
  AddressSpace space{};
  AccessMode access{};
  std::string_view format;       // texel format's name, static storage
  std::optional<Span> declared;  // the name's place; absent if predeclared

  static Entity of(const Variable* variable);
  static Entity of(const Function* function, Span declared);
  static Entity of(const Type* type, std::optional<Span> declared);
};

// "variable", "function", "type" …, for diagnostics.
std::string_view describe(const Entity& entity);

// Types, generators, enumerants and built-in functions by name. Types are made on demand.
std::optional<Entity> find_predeclared(TypeTable& types, std::string_view name);
// Every predeclared name, for suggestions.
std::vector<std::string_view> predeclared_names();

// Scalar type of a texel format's channels (spec "Texel Formats").
const Type* channel_type(const TypeTable& types, std::string_view texel_format);
bool is_texel_format_tier1(std::string_view texel_format);

// Function-scope declarations: a stack of scopes, innermost last.
class ScopeStack {
 public:
  explicit ScopeStack(uint32_t symbol_count) : innermost_(symbol_count, kNone) {}

  void push() { marks_.push_back(static_cast<uint32_t>(slots_.size())); }
  void pop();
  // False if the innermost scope has the name already.
  bool declare(const Symbol* symbol, const Entity& entity);
  // Null if no scope has the name. Valid until the next declaration.
  const Entity* find(const Symbol* symbol) const {
    const uint32_t slot = innermost_[symbol->id];
    return slot == kNone ? nullptr : &slots_[slot].entity;
  }
  // The same by the name's letters: for diagnostics.
  const Entity* find(std::string_view name) const;
  std::vector<std::string_view> names() const;

 private:
  static constexpr uint32_t kNone = UINT32_MAX;
  struct Slot {
    const Symbol* symbol;
    uint32_t hidden;  // the slot of the declaration that this one hides
    Entity entity;
  };
  std::vector<uint32_t> innermost_;  // slot, by Symbol::id
  std::vector<Slot> slots_;          // in order of declaration
  std::vector<uint32_t> marks_;      // slots_.size() at each scope's start
};

// What names mean outside of functions: what the module declares, and else what is predeclared.
class ModuleScope {
 public:
  ModuleScope(uint32_t symbol_count, TypeTable& types) : types_(types), places_(symbol_count, kNotAsked) {}

  void declare(const Symbol* symbol, const Entity& entity);
  // Null if the name means nothing. Valid until the scope's end.
  const Entity* find(const Symbol* symbol);
  // The same by the letters of a declared name: for diagnostics.
  const Entity* find_declared(std::string_view name) const;
  std::vector<std::string_view> names() const;  // of declarations

 private:
  static constexpr uint32_t kNotAsked = UINT32_MAX;
  static constexpr uint32_t kNothing = UINT32_MAX - 1;
  TypeTable& types_;
  std::vector<uint32_t> places_;  // in entities_, by Symbol::id
  std::deque<Entity> entities_;
  std::vector<const Symbol*> declared_;
};

// The name among `candidates` that is most like `name`, if one is like enough (edit distance).
std::optional<std::string_view> nearest(std::string_view name, const std::vector<std::string_view>& candidates);

}  // namespace kem::wgsl::sem
