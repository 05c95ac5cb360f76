// What a name means, and where (spec "Declaration and Scope").
#pragma once

#include <cstring>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "wgsl/sem/program.h"

namespace kem::wgsl::sem {

// Names are mostly of a few letters: eight at a time. (Not noexcept, so that tables keep the hashes.)
struct NameHash {
  size_t operator()(std::string_view name) const {
    constexpr uint64_t kFactor = 0x9e3779b97f4a7c15u;
    uint64_t hash = name.size();
    const auto add = [&](uint64_t bytes) {
      hash = (hash ^ bytes) * kFactor;
      hash ^= hash >> 32;
    };
    while (name.size() >= sizeof(uint64_t)) {
      uint64_t bytes;
      std::memcpy(&bytes, name.data(), sizeof(bytes));
      add(bytes);
      name.remove_prefix(sizeof(bytes));
    }
    uint64_t rest = 0;
    for (const char c : name) rest = rest << 8 | static_cast<unsigned char>(c);
    add(rest);
    return hash;
  }
};

// Module-scope declarations by name: their indices in the module.
using NameTable = std::unordered_map<std::string_view, uint32_t, NameHash>;

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
  void push() { marks_.push_back(names_.size()); }
  void pop();
  size_t depth() const { return marks_.size(); }
  // False if the innermost scope has the name already.
  bool declare(std::string_view name, const Entity& entity);
  const Entity* find(std::string_view name) const;
  // In the innermost scope only.
  const Entity* find_innermost(std::string_view name) const;
  std::vector<std::string_view> names() const { return names_; }

 private:
  struct Slot {
    size_t depth;
    Entity entity;
  };
  std::unordered_map<std::string_view, std::vector<Slot>, NameHash> table_;
  std::vector<std::string_view> names_;    // in order of declaration
  std::vector<std::vector<Slot>*> slots_;  // theirs in the table
  std::vector<size_t> marks_;              // names_.size() at each scope's start
};

// The name among `candidates` that is most like `name`, if one is like enough (edit distance).
std::optional<std::string_view> nearest(std::string_view name, const std::vector<std::string_view>& candidates);

}  // namespace kem::wgsl::sem
