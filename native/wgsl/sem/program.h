// What the resolver found out about a module: the meaning of each name, the type and stage of each expression.
// The syntax tree stays as written; these side tables hang on its nodes. Validators and lowering read both.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <memory_resource>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "base/arena.h"
#include "base/diagnostic.h"
#include "wgsl/sem/builtin.h"
#include "wgsl/sem/type.h"
#include "wgsl/sem/value.h"
#include "wgsl/syntax/ast.h"
#include "wgsl/wgsl.h"

namespace kem::wgsl::sem {

// When an expression's value is known (spec "Early Evaluation Expressions").
enum class Stage : uint8_t { Constant, Override, Runtime };

struct Function;

struct Variable {
  enum class Kind : uint8_t { Var, Let, Const, Override, Parameter };
  Kind kind;
  std::string_view name;
  uint32_t id;                                  // dense over the program
  const Type* type = nullptr;                   // var: the store type; others: the effective-value-type
  AddressSpace space = AddressSpace::Function;  // var only
  AccessMode access = AccessMode::ReadWrite;    // var only
  const Value* value = nullptr;                 // const; override: the default if it is a const-expression
  const ast::Expr* initializer = nullptr;
  const ast::Variable* syntax = nullptr;      // null for parameters
  const ast::Parameter* parameter = nullptr;  // for parameters
  uint32_t parameter_index = 0;
  const Function* function = nullptr;  // null at module scope
  bool is_module_scope() const { return function == nullptr; }
  std::optional<uint32_t> group, binding;  // resource variables
  std::optional<uint16_t> override_id;     // @id
  std::optional<BuiltinValue> builtin;     // parameters of entry points
  Span span;                               // of the name
};

enum class PipelineStage : uint8_t { None, Compute, Vertex, Fragment };

struct Function {
  std::string_view name;
  uint32_t index = 0;  // in Program::functions
  const ast::Function* syntax = nullptr;
  std::span<const Variable* const> parameters;
  const Type* return_type = nullptr;  // Void if none
  PipelineStage stage = PipelineStage::None;
  bool must_use = false;
  std::array<const ast::Expr*, 3> workgroup_size{};  // null: 1. Const- or override-expressions
  const ast::Expr* subgroup_size = nullptr;
  std::span<const Function* const> callees;           // direct, each once
  std::span<const Variable* const> module_variables;  // module-scope vars and overrides used, transitively
};

// What a call expression calls.
struct CallTarget {
  enum class Kind : uint8_t {
    Function,   // user-defined
    Builtin,    // built-in function other than constructors
    Construct,  // T(args): composite from components, with T concrete or abstract after inference
    ZeroValue,  // T()
    Convert     // scalar(x) or vecN<T>(vecM<S>), mat<T>(mat<S>): conversion; identity included
  };
  Kind kind;
  const Function* function = nullptr;
  Builtin builtin = Builtin::Bitcast;
  const Type* result = nullptr;             // Void for none
  std::span<const Type* const> parameters;  // what each argument converts to, after overload resolution
};

// The meaning of one expression node. `type` is null where the resolver reported an error or the node is not a
// value (a type, an enumerant, a callee).
struct ExprInfo {
  const Type* type = nullptr;    // its own static type; a Reference for memory views
  const Type* target = nullptr;  // what its context uses it as: after the load rule and automatic conversions
  Stage stage = Stage::Runtime;
  const Value* value = nullptr;  // Stage::Constant: the value, converted to `target`
  std::variant<std::monostate,
               const Variable*,         // Identifier
               const Function*,         // Identifier as a callee
               const Type*,             // Identifier that names a type (specifiers, callees)
               const CallTarget*,       // Call
               const StructMember*,     // Member of a structure
               std::array<uint8_t, 5>>  // Member as swizzle: [0] = count, [1..4] = component indices
      meaning;

  // The type after load rule and conversions.
  const Type* used_as() const { return target != nullptr ? target : type; }
};

// A diagnostic filter range (spec "Diagnostic Filtering"): `rule` has `severity` within `span`.
struct DiagnosticFilter {
  Span span;
  std::string_view rule;
  Severity severity;
};

struct Info {
  std::pmr::vector<ExprInfo> expressions{large_blocks()};  // by ast::Expr::id
  std::vector<const Variable*> variables;                  // by ast::Variable::id, all scopes
  std::unordered_map<const ast::Stmt*, std::vector<const Value*>>
      switch_selectors;                           // in order; null = default.
                                                  // Override-stage selectors cannot occur: selectors are const.
  std::vector<const Function*> functions;         // callees before callers
  std::vector<const Variable*> module_variables;  // var, const and override in dependency order
  std::vector<const Variable*> overrides;
  std::vector<DiagnosticFilter> filters;  // outermost first
  bool enables_f16 = false;
  bool enables_subgroups = false;
  bool enables_subgroup_size_control = false;
  bool has_subgroup_scope = false;  // language extension subgroup_uniformity

  const ExprInfo& operator[](const ast::Expr* e) const { return expressions[e->id]; }
  // What a declaration declares; null if it had an error.
  const Variable* declared_by(const ast::Variable* syntax) const { return variables[syntax->id]; }
};

// Resolves names, checks types and evaluates const-expressions of a whole module (spec "Declaration and Scope",
// "Types", "Variable and Value Declarations", "Expressions", "Statements", "Functions", "Attributes", "Entry
// Points"). Adds a diagnostic for every error and returns null if there was one. `types` must outlive the Info.
std::unique_ptr<Info> resolve(const ast::Module& module, TypeTable& types, const Options& options,
                              Diagnostics& diagnostics);

}  // namespace kem::wgsl::sem

namespace kem::wgsl {

// Everything a Program owns. Order matters: later members refer to earlier ones.
struct Program::Impl {
  explicit Impl(Source text) : source(std::move(text)) {}

  Source source;
  std::unique_ptr<const ast::Module> module;
  std::unique_ptr<sem::TypeTable> types;  // lowering interns more types: under types_mutex
  mutable std::mutex types_mutex;
  std::unique_ptr<const sem::Info> info;
  std::vector<EntryPointInfo> entry_points;
  std::vector<Override> overrides;
};

}  // namespace kem::wgsl
