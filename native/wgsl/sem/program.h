// What the resolver found out about a module: the meaning of each name, the type and stage of each expression.
// The syntax tree stays as written; these side tables hang on its nodes. Validators and lowering read both.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <utility>
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
  const Type* reference = nullptr;              // var only: the type of its name
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
class ExprInfo {
 public:
  // One to four components of a vector, by index.
  struct Swizzle {
    uint8_t count;
    std::array<uint8_t, 4> components;
    bool operator==(const Swizzle&) const = default;
  };

  const Type* type = nullptr;    // its own static type; a Reference for memory views
  const Type* target = nullptr;  // what its context uses it as: after the load rule and automatic conversions
  const Value* value = nullptr;  // Stage::Constant: the value, converted to `target`
  Stage stage = Stage::Runtime;

  // The type after load rule and conversions.
  const Type* used_as() const { return target != nullptr ? target : type; }

  void names(const Variable* variable) { meaning_ = Meaning::Variable, variable_ = variable; }
  void calls(const CallTarget* called) { meaning_ = Meaning::Call, call_ = called; }
  void selects(const StructMember* member) { meaning_ = Meaning::Member, member_ = member; }
  void selects(const Swizzle& swizzle) { meaning_ = Meaning::Swizzle, swizzle_ = swizzle; }
  // What was said last; null for all else.
  const Variable* variable() const { return meaning_ == Meaning::Variable ? variable_ : nullptr; }
  const CallTarget* call() const { return meaning_ == Meaning::Call ? call_ : nullptr; }
  const StructMember* member() const { return meaning_ == Meaning::Member ? member_ : nullptr; }
  const Swizzle* swizzle() const { return meaning_ == Meaning::Swizzle ? &swizzle_ : nullptr; }

 private:
  enum class Meaning : uint8_t { None, Variable, Call, Member, Swizzle };
  Meaning meaning_ = Meaning::None;
  union {
    const Variable* variable_ = nullptr;  // Identifier
    const CallTarget* call_;              // Call
    const StructMember* member_;          // Member of a structure
    Swizzle swizzle_;                     // Member of a vector
  };
};
static_assert(sizeof(ExprInfo) == 40);

// The meanings of a module's expressions by ast::Expr::id. Those of one declaration after the other are begun, so that
// each is written for the first time when the resolver needs it; what was not begun must not be read.
class ExprInfos {
 public:
  ExprInfos() = default;
  explicit ExprInfos(uint32_t count) : infos_(allocate(count), Deallocate{count}) {}

  // The expressions from `first` to `end` have no meaning yet.
  void begin(uint32_t first, uint32_t end) { std::uninitialized_fill(&infos_[first], &infos_[end], ExprInfo{}); }
  ExprInfo& operator[](uint32_t id) { return infos_[id]; }
  const ExprInfo& operator[](uint32_t id) const { return infos_[id]; }

 private:
  static_assert(std::is_trivially_destructible_v<ExprInfo>);
  static ExprInfo* allocate(uint32_t count) {
    return static_cast<ExprInfo*>(large_blocks()->allocate(count * sizeof(ExprInfo), alignof(ExprInfo)));
  }
  struct Deallocate {
    uint32_t count;
    void operator()(ExprInfo* infos) const {
      large_blocks()->deallocate(infos, count * sizeof(ExprInfo), alignof(ExprInfo));
    }
  };
  std::unique_ptr<ExprInfo[], Deallocate> infos_;
};

// A diagnostic filter range (spec "Diagnostic Filtering"): `rule` has `severity` within `span`.
struct DiagnosticFilter {
  Span span;
  std::string_view rule;
  Severity severity;
};

struct Info {
  ExprInfos expressions;
  std::vector<const Variable*> variables;  // by ast::Variable::id, all scopes
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
  bool asks_for_uniformity = false;  // a built-in function is called of which sem::asks_for_uniformity says so
  bool has_subgroup_scope = false;   // language extension subgroup_uniformity

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
