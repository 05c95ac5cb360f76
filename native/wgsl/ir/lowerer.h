// The state of one lowering: see lower.h. Its parts are in lower.cc (module, functions), lower_expr.cc and
// lower_stmt.cc.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "wgsl/ir/lower.h"
#include "wgsl/sem/const_eval.h"

namespace kem::wgsl::ir {

// Longest chain of `else if`: each one nests a block in the IR, which later stages walk recursively.
constexpr uint32_t kMaxElseIfChain = 400;

class Lowerer {
 public:
  Lowerer(const Program::Impl& program, const OverrideValues& overrides, const Options& options,
          Diagnostics& diagnostics);

  std::unique_ptr<Module> run(const sem::Function& entry);
  std::unique_ptr<Module> run_each(const sem::Function& entry, FunctionSink& sink);

 private:
  // lower.cc
  void module_variable(const sem::Variable& variable);
  Function* declare(const sem::Function& function);
  bool with_pointers(std::span<const sem::Function* const> functions, FunctionSink& sink);
  void function(const sem::Function& function);
  void entry_parameter(Function& f, const sem::Variable& parameter);
  Value* builtin_parameter(Function& f, const Type* type, std::string_view name, sem::BuiltinValue builtin);
  void module_variables(const sem::Function& entry);
  void workgroup_size(const sem::Function& entry);
  void subgroup_size(const sem::Function& entry);
  // `type` with override-sized arrays replaced by fixed-size ones.
  const Type* concrete(const Type* type);

  // lower_expr.cc
  // The expression's value after the load rule; Void calls give null.
  Value* value(const ast::Expr* e);
  // The memory view that an expression of reference or pointer type denotes, as a pointer.
  Value* pointer(const ast::Expr* e);
  // The value of a composite, loaded if the expression denotes memory.
  Value* composite(const ast::Expr* e);
  Value* runtime_value(const ast::Expr* e);
  Value* identifier(const ast::Identifier& e);
  Value* unary(const ast::Unary& e);
  Value* binary(const ast::Binary& e);
  Value* short_circuit(const ast::Binary& e);
  Value* call(const ast::Call& e);
  Value* builtin_call(const ast::Call& e, const sem::CallTarget& target);
  Value* index_value(const ast::Index& e);
  Value* member_value(const ast::Member& e);
  // Constant or override value of an early expression; null, with the error reported, if it has none.
  const sem::Value* early_value(const ast::Expr* e);
  const sem::Value* early_value_or_null(const ast::Expr* e);
  void check_operands(const ast::Binary& e);
  void check_arguments(const ast::Call& e, const sem::CallTarget& target);
  void check_index(const ast::Index& e);
  void check_view(const ast::Call& e, const sem::CallTarget& target);
  bool has_side_effect(const ast::Expr* e) const;
  bool is_memory(const ast::Expr* e) const;

  // lower_stmt.cc
  void statements(std::span<const ast::Stmt* const> list);
  void statement(const ast::Stmt& statement);
  void declaration(const ast::Variable& syntax);
  void assign(const ast::Assign& statement);
  void phony(const ast::Phony& statement);
  void increment(const ast::Increment& statement);
  void conditional(const ast::If& statement);
  void switch_statement(const ast::Switch& statement);
  void loop(const ast::Loop& statement);
  void for_loop(const ast::For& statement);
  void while_loop(const ast::While& statement);
  void leave_unless(const ast::Expr* condition);
  Block* block_of(std::span<const ast::Stmt* const> list);

  // Emission into the current block.
  Instruction* emit(Op op, const Type* type, Operands&& operands, Span span);
  Value* load(Value* pointer, Span span);
  void store(Value* pointer, Value* value, Span span);
  Value* access(Value* base, Value* index, const Type* component, Span span);
  Value* constant(const sem::Value* value);
  Value* u32(uint32_t value);
  static bool ended(const Block& block);  // its end cannot be reached
  void set_value(const sem::Variable& variable, Value* value);

  const Program::Impl& program_;
  const sem::Info& info_;
  sem::TypeTable& types_;
  const OverrideValues& overrides_;
  const Options& options_;
  Diagnostics& diagnostics_;
  std::unique_ptr<Module> module_;
  sem::ConstEval eval_;
  Block* block_ = nullptr;
  std::vector<Value*> values_;  // by sem::Variable::id; var: pointer; let, parameter: value
  std::unordered_map<const sem::Function*, Function*> functions_;
  std::unordered_map<const Type*, const Type*> concrete_;
};

}  // namespace kem::wgsl::ir
