// The resolver's working state. One object resolves one module, in the order of resolve_order.h; its parts are in
// resolve_*.cc by topic. A null type stands for an expression with an error that has been reported: whatever
// contains it stays silent.
#pragma once

#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "wgsl/sem/builtin_table.h"
#include "wgsl/sem/const_eval.h"
#include "wgsl/sem/extensions.h"
#include "wgsl/sem/overload.h"
#include "wgsl/sem/program.h"
#include "wgsl/sem/resolve_order.h"
#include "wgsl/sem/scope.h"

namespace kem::wgsl::sem {

// Where an attribute stands (bits, for resolve_attribute.cc's table).
enum AttributePlace : uint8_t {
  kOnFunction = 1,
  kOnParameter = 2,
  kOnReturnType = 4,
  kOnMember = 8,
  kOnModuleVar = 16,
  kOnOverride = 32,
  kOnOther = 64,  // const, let, function-scope var
  kOnStatement = 128
};

// The IO attributes of a parameter, return type or structure member (spec "Inter-stage Input and Output Interface").
struct IoAttributes {
  std::optional<BuiltinValue> builtin;
  std::optional<uint32_t> location;
  std::optional<uint32_t> blend_src;
  std::string_view interpolation;  // empty if absent
  bool invariant = false;
  Span builtin_span, location_span, blend_src_span, interpolate_span, invariant_span;
  bool any() const { return builtin || location || blend_src || !interpolation.empty() || invariant; }
};

class Resolver {
 public:
  Resolver(const ast::Module& module, TypeTable& types, const Options& options, Diagnostics& diagnostics);
  std::unique_ptr<Info> run();

 private:
  // Something that only some stages may do, and where a function does it first.
  struct StageRule {
    uint8_t allowed;  // bit per PipelineStage
    std::string what;
    Span span;
  };
  struct FunctionFacts {
    std::vector<StageRule> rules;
    std::vector<std::pair<const Function*, Span>> calls;  // first call of each callee
    uint64_t variable_bytes = 0;
  };
  // What `break` and `continue` may leave (innermost last).
  struct Jump {
    enum class Kind : uint8_t { Loop, Switch, Continuing } kind;
    std::optional<uint32_t> first_continue;  // Loop: id of the next variable at its first `continue`
    Span continue_span;
    uint32_t continuing_start = 0;  // Continuing: id of the first variable declared in it
  };
  using Uses = std::vector<const Variable*>;
  using Parameters = SmallVector<Variable*, 8>;

  // resolve_module.cc
  void directives();
  void enable(const ast::Directive& directive);
  void require(const ast::Directive& directive);
  // False, with an error that names the extension, if a module may not use it. `what` begins the message.
  bool needs(Language extension, const std::string& what, Span span);
  void filter(const ast::DiagnosticControl& control, Span span, Span range);
  DeclaredNames collect_names();
  void declaration(const ast::Decl& declaration);
  void const_assert(const ast::ConstAssert& assertion);
  void finish();
  void check_stages();
  void check_entry_point(const Function& entry);
  void check_resources(const Function& entry);
  void check_immediates(const Function& entry);

  // resolve_name.cc
  Diagnostic& error(Span span, std::string message) { return diagnostics_.error(span, std::move(message)); }
  static void note_declared(Diagnostic& diagnostic, const Entity& entity, std::string_view name);
  const Entity* lookup(const Symbol* symbol);
  const Entity* find_declared(std::string_view name) const;
  // Null, with an error reported, if the name means nothing.
  const Entity* resolve_name(const ast::Identifier& identifier);
  void begin_uses(Uses& uses);
  void use(const Variable* variable);
  bool first_use(const Variable* variable);
  void use_type(const Type* type);
  // Counts the entries of the transitive tables: their sum may grow with the square of the source.
  bool within_budget(size_t uses, Span span);
  const Variable* publish(const Variable& variable);
  std::vector<std::string_view> names_in_scope() const;

  // resolve_type.cc
  const Type* type(const ast::Expr* e);
  const Type* type_of_entity(const ast::Identifier& identifier, const Entity& entity);
  const Type* generate(const ast::Identifier& identifier, const Generator& generator);
  const Type* shape_type(const ast::Identifier& identifier, const Generator& generator);
  const Type* array_type(const ast::Identifier& identifier);
  // The count of an array, or a buffer's size: converted to its concrete integer type, which is returned; null and an
  // error if it is no integer known early. `uses` gets the overrides in it.
  const Type* counted(const ast::Expr* count, const std::string& what, Uses& uses);
  const Type* counted_array(const ast::Identifier& identifier, const Type* element, const ast::Expr* count);
  const Type* pointer_type(const ast::Identifier& identifier);
  const Type* atomic_type(const ast::Identifier& identifier);
  const Type* texture_type(const ast::Identifier& identifier, const Generator& generator);
  bool template_count(const ast::Identifier& identifier, size_t least, size_t most);
  // The enumerant that a template argument names; null and an error if it is none of `kind`.
  const Entity* enumerant(const ast::Expr* e, Entity::Kind kind, std::string_view wanted);
  bool check_element(const Type* element, Span span, std::string_view what);
  bool check_nesting(const Type* type, Span span);
  // What a variable (or a pointer) of the address space may hold: an error message, or empty.
  std::string store_type_problem(AddressSpace space, AccessMode access, const Type* store) const;

  // resolve_expr.cc
  ExprInfo& at(const ast::Expr* e) { return info_->expressions[e->id]; }
  const Type* expr(const ast::Expr* e);   // references stay references
  const Type* value(const ast::Expr* e);  // after the load rule
  const Type* call_or_void(const ast::Call& call);
  const Type* literal(const ast::Literal& e);
  const Type* identifier(const ast::Identifier& e);
  const Type* variable_use(const ast::Identifier& e, const Variable& variable);
  const Type* unary(const ast::Unary& e);
  const Type* address_of(const ast::Unary& e);
  const Type* indirection(const ast::Unary& e);
  const Type* binary(const ast::Binary& e);
  const Type* index(const ast::Index& e);
  bool check_index(const ast::Index& e, const Type* composite);
  const Type* member(const ast::Member& e);
  const Type* swizzle(const ast::Member& e, const Vector& vector, const MemoryView* view);
  // Sets an expression's meaning; `value` only if it is a const-expression that has been evaluated.
  const Type* set(const ast::Expr* e, const Type* type, Stage stage, const Value* value = nullptr);
  // The same for the outcome of an evaluation: its error is reported unless the expression is not evaluated.
  const Type* set(const ast::Expr* e, const Type* type, const Evaluated& value);
  // Uses the expression as `target`, to which it converts; false if its value does not fit (reported).
  bool convert(const ast::Expr* e, const Type* target);
  // value(), then conversion to `target`; `context` begins the message: "cannot assign", …
  bool value_as(const ast::Expr* e, const Type* target, std::string_view context);
  // value(), which must then be a const-expression (or an override-expression).
  const Type* value_at(const ast::Expr* e, Stage latest, std::string_view what);
  const Type* condition(const ast::Expr* e, std::string_view what);
  Argument argument(const ast::Expr* e);
  Stage stage_of(std::initializer_list<const ast::Expr*> operands);
  Stage stage_of(std::span<const ast::Expr* const> operands);
  bool has_value(std::span<const ast::Expr* const> operands);

  // resolve_call.cc
  const Type* call(const ast::Call& e);
  const Type* call_function(const ast::Call& e, const Function& function);
  const Type* call_builtin(const ast::Call& e, Builtin builtin);
  const Type* finish_builtin(const ast::Call& e, Builtin builtin, std::span<const Type* const> parameters,
                             const Type* result);
  bool check_rules(const ast::Call& e, Builtin builtin, const Overload& overload);
  const Type* bitcast(const ast::Call& e);
  const Type* bitcast_source(const Value* value, const Type* from, const Type* to);
  const Type* array_length(const ast::Call& e);
  const Type* workgroup_uniform_load(const ast::Call& e);

  // resolve_buffer.cc
  const Type* buffer_type(const ast::Identifier& identifier);
  const MemoryView* buffer_argument(const ast::Call& e, Builtin builtin, const Argument& given);
  const Type* buffer_length(const ast::Call& e);
  const Type* buffer_view(const ast::Call& e, Builtin builtin);
  std::string view_type_problem(const Type* store, const MemoryView& buffer, Builtin builtin) const;
  static bool is_buffer_conversion(const Type* from, const Type* to);

  // resolve_call.cc
  bool builtin_available(const ast::Call& e, Builtin builtin);
  bool argument_count(const ast::Call& e, size_t count, std::string_view name);
  static void list_overloads(Diagnostic& diagnostic, Span span, std::span<const Overload> overloads, size_t arguments);
  Diagnostic& no_overload(Span span, std::string_view name, std::span<const Argument> arguments);
  void no_overload(Span span, std::string_view name, std::span<const Overload> overloads,
                   std::span<const Argument> arguments);
  CallTarget* target(const ast::Call& e, CallTarget::Kind kind, const Type* result,
                     std::span<const Type* const> parameters);
  bool arguments(const ast::Call& e, Arguments& out);

  // resolve_construct.cc
  const Type* construct(const ast::Call& e, const Entity& entity);
  const Type* construct_type(const ast::Call& e, const Type* type);
  const Type* construct_zero(const ast::Call& e, const Type* type);
  const Type* construct_scalar(const ast::Call& e, const Type* type);
  // `scalar` is null where the component type is inferred.
  const Type* construct_vector(const ast::Call& e, uint32_t width, const Type* scalar);
  const Type* construct_matrix(const ast::Call& e, uint32_t columns, uint32_t rows, const Type* scalar);
  const Type* construct_array(const ast::Call& e, const Array* array);
  const Type* construct_struct(const ast::Call& e, const Struct& structure);
  const Type* finish_construct(const ast::Call& e, CallTarget::Kind kind, const Type* type,
                               std::span<const Type* const> parameters);
  const Type* common_type(std::span<const Argument> arguments);
  const Type* bad_construction(const ast::Call& e, const std::string& name, std::span<const Argument> arguments,
                               const std::string& expected);

  // resolve_decl.cc
  void module_variable(const ast::Variable& syntax);
  const Variable* variable(const ast::Variable& syntax);
  bool initialize(const ast::Variable& syntax, Variable& variable, const Type* declared);
  bool const_variable(const ast::Variable& syntax, Variable& variable, const Type* declared);
  bool override_variable(const ast::Variable& syntax, Variable& variable, const Type* declared);
  bool let_variable(const ast::Variable& syntax, Variable& variable, const Type* declared);
  bool var_variable(const ast::Variable& syntax, Variable& variable, const Type* declared);
  bool address_space(const ast::Variable& syntax, Variable& variable, const Type* declared);
  bool uniform_layout(const Type* type, Span span);
  bool resource(const ast::Variable& syntax, Variable& variable);
  void alias(const ast::Alias& syntax);
  void structure(const ast::Struct& syntax);
  bool struct_member(const ast::StructMember& syntax, StructMember& member, bool last);
  bool member_layout(const ast::StructMember& syntax, StructMember& member);
  bool check_locations(const ast::Struct& syntax);

  // resolve_function.cc
  void function(const ast::Function& syntax);
  bool parameters(const ast::Function& syntax, Function& function, Parameters& out);
  bool declare_parameters(std::span<Variable* const> parameters);
  bool stage(const ast::Function& syntax, Function& function);
  bool workgroup_size(const ast::Function& syntax, Function& function);
  bool subgroup_size(const ast::Function& syntax, Function& function);
  void rule(uint8_t allowed_stages, std::string what, Span span);

  // resolve_attribute.cc
  bool attributes(ast::Attributes list, AttributePlace place, Span range, std::string_view what);
  std::optional<int64_t> attribute_value(const ast::Attribute& attribute, int64_t least, int64_t most);
  bool io_attributes(ast::Attributes list, const Type* type, IoAttributes& out);
  bool builtin_attribute(const ast::Attribute& attribute, const Type* type, IoAttributes& out);
  bool interpolate_attribute(const ast::Attribute& attribute, IoAttributes& out);
  static const ast::Attribute* find(ast::Attributes list, ast::AttributeKind kind);

  // resolve_entry_point.cc
  struct Interface;
  bool entry_point(const ast::Function& syntax, const Function& function, std::span<Variable* const> parameters);
  bool io_object(Interface& interface, const IoAttributes& io, const Type* type, Span span, bool is_member);
  bool io_type(Interface& interface, const IoAttributes& io, const Type* type, Span span);

  // resolve_stmt.cc
  void statements(std::span<const ast::Stmt* const> list);
  void block(const ast::Compound& block);
  void stmt(const ast::Stmt& statement);
  void local(const ast::Variable& syntax);
  void assign(const ast::Assign& statement);
  void compound_assign(const ast::Assign& statement, const MemoryView& view);
  void phony(const ast::Phony& statement);
  void increment(const ast::Increment& statement);
  void conditional(const ast::If& statement);
  void switch_statement(const ast::Switch& statement);
  void loop(const ast::Loop& statement);
  void for_loop(const ast::For& statement);
  void while_loop(const ast::While& statement);
  void jump_break(const ast::Stmt& statement);
  void jump_continue(const ast::Stmt& statement);
  void return_statement(const ast::Return& statement);
  void call_statement(const ast::CallStmt& statement);
  const MemoryView* writable(const ast::Expr* e, std::string_view what);

  const ast::Module& module_;
  TypeTable& types_;
  const Options& options_;
  Diagnostics& diagnostics_;
  ConstEval eval_;
  OverloadMemory overloads_;
  std::unique_ptr<Info> info_;

  ModuleScope globals_;  // resolved so far; Kind::Error for failed ones
  ScopeStack scopes_;
  uint32_t next_variable_ = 0;
  bool unevaluated_ = false;  // within the right-hand side that a constant `&&` or `||` skips

  std::unordered_map<const Variable*, Uses> variable_uses_;  // module-scope variables that a variable needs
  std::unordered_map<const Type*, Uses> array_uses_;         // overrides in the count of an override-sized array
  std::unordered_map<const Variable*, const ast::Expr*> override_counts_;  // array<T, name>: one type per override
  std::unordered_map<const ast::StructMember*, IoAttributes> member_io_;
  std::vector<FunctionFacts> facts_;  // by Function::index
  std::vector<uint32_t> called_by_;   // by Function::index: 1 + the index of the last caller
  std::map<uint16_t, Span> override_ids_;
  Uses* uses_ = nullptr;  // where use() adds
  Uses function_uses_;    // those of the function now
  uint32_t uses_number_ = 0, last_uses_number_ = 0;
  std::vector<uint32_t> in_uses_;  // by Variable::id: the number of the list that it was added to last

  size_t total_uses_ = 0;
  std::map<std::tuple<uint32_t, uint32_t, std::string_view>, Severity> filtered_;  // filters: begin, end, rule

  Function* function_ = nullptr;  // whose body is being resolved
  std::vector<Jump> jumps_;
};

}  // namespace kem::wgsl::sem
