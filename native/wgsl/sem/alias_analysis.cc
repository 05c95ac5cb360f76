// Which memory each function accesses, and through which names (spec "Alias Analysis").
#include <algorithm>
#include <string>
#include <unordered_map>
#include <vector>

#include "wgsl/sem/pointer_roots.h"
#include "wgsl/sem/validate.h"
#include "wgsl/sem/walk.h"

namespace kem::wgsl::sem {
namespace {

struct Access {
  bool reads = false;
  bool writes = false;
  Access operator|(Access other) const { return {reads || other.reads, writes || other.writes}; }
  bool conflicts(Access other) const { return (writes && (other.reads || other.writes)) || (other.writes && reads); }
};

// A set of the module-scope variables that are passed by pointer anywhere: no other can alias a parameter.
class VariableSet {
 public:
  explicit VariableSet(size_t size = 0) : words_((size + 63) / 64) {}
  void insert(size_t i) { words_[i / 64] |= uint64_t{1} << (i % 64); }
  bool contains(size_t i) const { return (words_[i / 64] >> (i % 64) & 1) != 0; }
  void merge(const VariableSet& other) {
    for (size_t i = 0; i < words_.size(); ++i) words_[i] |= other.words_[i];
  }

 private:
  std::vector<uint64_t> words_;
};

// What a function and those that it calls access.
struct Accesses {
  VariableSet reads, writes;
  std::vector<Access> parameters;
};

bool is_view(const Type* type) { return as_reference(type) != nullptr || as_pointer(type) != nullptr; }

// What a built-in function does through its pointer argument.
Access access_of(Builtin builtin) {
  if (builtin == Builtin::AtomicLoad || builtin == Builtin::WorkgroupUniformLoad) return {true, false};
  if (builtin == Builtin::AtomicStore) return {false, true};
  if (builtin > Builtin::AtomicStore && builtin <= Builtin::AtomicCompareExchangeWeak) return {true, true};
  return {};
}

class Analysis {
 public:
  Analysis(const Info& info, Diagnostics& diagnostics) : info_(info), diagnostics_(diagnostics) {}

  void run() {
    number_variables();
    if (!can_alias_) return;
    for (const Function* function : info_.functions) analyze(*function);
  }

 private:
  void number_variables() {
    bool any_of_module = false;
    for (const Function* function : info_.functions) {
      size_t pointers = 0;
      for (const Variable* parameter : function->parameters) {
        const MemoryView* pointer = as_pointer(parameter->type);
        if (pointer == nullptr) continue;
        ++pointers;
        any_of_module |= pointer->space != AddressSpace::Function;
      }
      can_alias_ |= pointers > 1;
    }
    can_alias_ |= any_of_module;
    if (!any_of_module) return;
    for (const Function* function : info_.functions) {
      const PointerRoots roots(info_, *function);
      for_each_statement(function->syntax->body, [&](const ast::Stmt* statement) {
        for_each_direct_expression(statement, [&](const ast::Expr* whole) {
          for_each_expression(whole, [&](const ast::Expr* e) { number_arguments(roots, e); });
        });
      });
    }
  }

  void number_arguments(const PointerRoots& roots, const ast::Expr* e) {
    const CallTarget* target = info_[e].call();
    if (target == nullptr || target->kind != CallTarget::Kind::Function) return;
    for (const ast::Expr* argument : static_cast<const ast::Call*>(e)->args) {
      if (as_pointer(info_[argument].type) == nullptr) continue;
      const Variable* root = roots.of(argument).variable;
      if (root != nullptr && root->is_module_scope()) numbers_.emplace(root, numbers_.size());
    }
  }

  void analyze(const Function& function) {
    const PointerRoots roots(info_, function);
    roots_ = &roots;
    Accesses& own = accesses_[&function];
    own = {VariableSet(numbers_.size()), VariableSet(numbers_.size()), std::vector<Access>(function.parameters.size())};
    own_ = &own;
    for_each_statement(function.syntax->body, [&](const ast::Stmt* statement) {
      if (statement->kind == ast::StmtKind::Assign) {
        const auto* assign = static_cast<const ast::Assign*>(statement);
        record(assign->lhs, {assign->compound, true});
      } else if (statement->kind == ast::StmtKind::Increment) {
        record(static_cast<const ast::Increment*>(statement)->lhs, {true, true});
      } else if (statement->kind == ast::StmtKind::Phony) {
        const ast::Expr* rhs = static_cast<const ast::Phony*>(statement)->rhs;
        if (as_reference(info_[rhs].type) != nullptr) record(rhs, {true, false});
      }
      for_each_direct_expression(statement, [&](const ast::Expr* whole) {
        for_each_expression(whole, [&](const ast::Expr* e) { expression(e); });
      });
    });
  }

  void expression(const ast::Expr* e) {
    const ExprInfo& info = info_[e];
    if (as_reference(info.type) != nullptr && as_reference(info.used_as()) == nullptr) record(e, {true, false});
    if (e->kind == ast::ExprKind::Member && !is_view(info.type)) {  // `pointer.xy` loads
      const ast::Expr* object = static_cast<const ast::Member*>(e)->object;
      if (as_pointer(info_[object].type) != nullptr) record(object, {true, false});
    }
    const CallTarget* target = info.call();
    if (e->kind != ast::ExprKind::Call || target == nullptr) return;
    const auto* call = static_cast<const ast::Call*>(e);
    if (target->kind == CallTarget::Kind::Function) return this->call(call, *target->function);
    if (target->kind == CallTarget::Kind::Builtin && !call->args.empty()) {
      record(call->args[0], access_of(target->builtin));
    }
  }

  void record(const ast::Expr* view, Access access) {
    if (access.reads || access.writes) record(roots_->of(view).variable, access);
  }

  void record(const Variable* root, Access access) {
    if (root == nullptr) return;
    if (root->kind == Variable::Kind::Parameter) {
      Access& parameter = own_->parameters[root->parameter_index];
      parameter = parameter | access;
      return;
    }
    const auto number = numbers_.find(root);
    if (number == numbers_.end()) return;
    if (access.reads) own_->reads.insert(number->second);
    if (access.writes) own_->writes.insert(number->second);
  }

  void call(const ast::Call* call, const Function& callee) {
    const auto found = accesses_.find(&callee);
    if (found == accesses_.end()) return;
    const Accesses& theirs = found->second;
    struct Argument {
      size_t index;
      Access access;
    };
    std::unordered_map<const Variable*, Argument> by_root;  // with everything earlier arguments do to it
    for (size_t i = 0; i < call->args.size() && i < theirs.parameters.size(); ++i) {
      if (as_pointer(info_[call->args[i]].type) == nullptr) continue;
      const Variable* root = roots_->of(call->args[i]).variable;
      if (root == nullptr) continue;
      const Access access = theirs.parameters[i];
      const auto [earlier, is_first] = by_root.try_emplace(root, Argument{i, {}});
      if (!is_first && earlier->second.access.conflicts(access)) {
        report_arguments(call, callee, i, earlier->second.index);
      }
      if (access.reads || access.writes) earlier->second.index = i;
      earlier->second.access = earlier->second.access | access;
      check_module_variable(call, callee, theirs, i, root, access);
    }
    own_->reads.merge(theirs.reads);
    own_->writes.merge(theirs.writes);
    for (const auto& [root, argument] : by_root) record(root, argument.access);
  }

  void check_module_variable(const ast::Call* call, const Function& callee, const Accesses& theirs, size_t i,
                             const Variable* root, Access access) {
    const auto number = numbers_.find(root);
    if (number == numbers_.end()) return;
    const Access direct{theirs.reads.contains(number->second), theirs.writes.contains(number->second)};
    if (!access.conflicts(direct)) return;
    Diagnostic& diagnostic = diagnostics_.error(
        call->args[i]->span, "pointer to '" + std::string(root->name) + "' aliases the variable, which '" +
                                 std::string(callee.name) + "' " + (direct.writes ? "writes" : "reads"));
    diagnostic.notes.push_back(
        {callee.parameters[i]->span,
         std::string("and is ") + (access.writes ? "written" : "read") + " through this parameter"});
  }

  void report_arguments(const ast::Call* call, const Function& callee, size_t i, size_t earlier) {
    Diagnostic& diagnostic =
        diagnostics_.error(call->args[i]->span,
                           "pointer arguments of '" + std::string(callee.name) + "' alias, and one of them is written");
    diagnostic.notes.push_back({call->args[earlier]->span, "the other argument with the same root"});
  }

  const Info& info_;
  Diagnostics& diagnostics_;
  // Two pointers may be one, or a pointer may be to a variable that the callee uses itself.
  bool can_alias_ = false;
  std::unordered_map<const Variable*, size_t> numbers_;
  std::unordered_map<const Function*, Accesses> accesses_;
  const PointerRoots* roots_ = nullptr;
  Accesses* own_ = nullptr;
};

}  // namespace

void validate_aliasing(const ast::Module&, const Info& info, Diagnostics& diagnostics) {
  Analysis(info, diagnostics).run();
}

}  // namespace kem::wgsl::sem
