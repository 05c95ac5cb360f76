// The IR's own rules, checked by one walk over each function in execution order with a scoped set of values.
#include <algorithm>
#include <unordered_set>
#include <utility>

#include "wgsl/ir/ir.h"

namespace kem::wgsl::ir {
namespace {

using sem::TypeKind;

bool ends_block(Op op) {
  return op == Op::Break || op == Op::Continue || op == Op::Return || op == Op::Unreachable || op == Op::BreakIf;
}

// The type that one step of an access chain gives; null if the step is not possible.
const Type* component_type(const Type* type, const Value* index) {
  if (const auto* array = sem::as_array(type)) return array->element;
  if (const auto* matrix = sem::as_matrix(type)) return matrix->column;
  if (const auto* vector = sem::as_vector(type)) return vector->element;
  const auto* structure = sem::as_struct(type);
  if (structure == nullptr || index->kind != ValueKind::Constant) return nullptr;
  const auto member = static_cast<uint64_t>(static_cast<const Constant*>(index)->value->integer);
  return member < structure->members.size() ? structure->members[member].type : nullptr;
}

class Verifier {
 public:
  std::string run(const Module& module, const Function& one) {
    if (!variables(module)) return std::move(error_);
    for (const Function* f : module.functions) {
      if (f == &one) return function(one) ? "" : "in fn " + std::string(one.name) + ": " + error_;
      functions_.insert(f);
    }
    return "the function is not in the module";
  }

  std::string run(const Module& module) {
    if (!variables(module)) return std::move(error_);
    for (const Function* f : module.functions) {
      if (!function(*f)) return "in fn " + std::string(f->name) + ": " + error_;
      functions_.insert(f);
    }
    if (module.entry == nullptr || module.functions.empty() || module.functions.back() != module.entry) {
      return "the last function is not the entry point";
    }
    return "";
  }

 private:
  struct Context {
    bool in_loop = false;       // Continue is allowed
    bool in_breakable = false;  // Break is allowed
    bool continuing = false;    // directly in a continuing block
  };

  bool fail(const Value& v, const std::string& what) {
    error_ = "%" + std::to_string(v.id) + ": " + what;
    return false;
  }

  bool variables(const Module& module) {
    for (const Variable* v : module.variables) {
      if (sem::as_pointer(v->type) == nullptr) {
        error_ = "variable %" + std::to_string(v->id) + " is not a pointer";
        return false;
      }
      if (!define(v)) return false;
    }
    return true;
  }

  bool define(const Value* v) {
    if (!ids_.insert(v->id).second) return fail(*v, "the id occurs twice");
    visible_.insert(v);
    return true;
  }

  bool function(const Function& f) {
    const auto outer = visible_;
    function_ = &f;
    for (const Parameter* p : f.parameters) {
      if (!define(p)) return false;
    }
    const bool ok = block(f.body, {});
    visible_ = outer;
    return ok;
  }

  // A loop's continuing block sees what its body defined, so the body's values are kept when `keep` is set.
  bool block(const Block* b, Context context, bool keep = false) {
    if (b == nullptr) return true;
    std::vector<const Value*> defined;
    for (size_t k = 0; k < b->instructions.size(); ++k) {
      const Instruction& i = *b->instructions[k];
      const bool last = k + 1 == b->instructions.size();
      if (ends_block(i.op) && !last) return fail(i, "an instruction follows the block's end");
      if (!instruction(i, context)) return false;
      if (!define(&i)) return false;
      defined.push_back(&i);
    }
    if (!keep) {
      for (const Value* v : defined) visible_.erase(v);
    } else {
      kept_.insert(kept_.end(), defined.begin(), defined.end());
    }
    return true;
  }

  bool instruction(const Instruction& i, Context context) {
    for (const Value* operand : i.operands) {
      if (operand == nullptr) return fail(i, "a null operand");
      if (operand->kind != ValueKind::Constant && visible_.count(operand) == 0) {
        return fail(i, "operand %" + std::to_string(operand->id) + " is not visible");
      }
    }
    switch (i.op) {
      case Op::Var:
      case Op::Load:
      case Op::Store:
      case Op::Access:
      case Op::ArrayLength:
        return memory(i);
      case Op::Unary:
      case Op::Convert:
      case Op::Swizzle:
        return i.operands.size() == 1 || fail(i, "needs one operand");
      case Op::Binary:
        return i.operands.size() == 2 || fail(i, "needs two operands");
      case Op::Call:
        return call(i);
      case Op::If:
      case Op::Switch:
      case Op::Loop:
        return control(i, context);
      case Op::BreakIf:
        if (!context.continuing) return fail(i, "break_if outside a continuing block");
        return condition(i);
      case Op::Break:
        return context.in_breakable || fail(i, "break outside a loop or switch");
      case Op::Continue:
        return context.in_loop || fail(i, "continue outside a loop's body");
      case Op::Return:
        return return_value(i);
      default:
        return true;
    }
  }

  bool memory(const Instruction& i) {
    const auto pointer_of = [](const Value* v) { return sem::as_pointer(v->type); };
    if (i.op == Op::Var) {
      const auto* p = sem::as_pointer(i.type);
      if (p == nullptr || p->space != AddressSpace::Function) return fail(i, "a var's type is not a function pointer");
      if (i.operands.size() > 1) return fail(i, "a var has at most one operand");
      if (!i.operands.empty() && i.operands[0]->type != p->store) return fail(i, "the initial value's type differs");
      return true;
    }
    if (i.operands.empty()) return fail(i, "no operand");
    if (i.op == Op::Access) return access(i);
    const auto* p = pointer_of(i.operands[0]);
    if (p == nullptr) return fail(i, "the first operand is not a pointer");
    if (i.op == Op::Load) return i.type == p->store || fail(i, "the loaded type differs from the store type");
    if (i.op == Op::ArrayLength) {
      const auto* array = sem::as_array(p->store);
      return (array != nullptr && array->count_kind == sem::Array::Count::Runtime) ||
             fail(i, "not a pointer to a runtime-sized array");
    }
    return (i.operands.size() == 2 && i.operands[1]->type == p->store) ||
           fail(i, "the stored type differs from the store type");
  }

  bool access(const Instruction& i) {
    if (i.operands.size() < 2) return fail(i, "no index");
    const auto* p = sem::as_pointer(i.operands[0]->type);
    const Type* type = p != nullptr ? p->store : i.operands[0]->type;
    for (size_t k = 1; k < i.operands.size(); ++k) {
      if (!i.operands[k]->type->is(TypeKind::I32) && !i.operands[k]->type->is(TypeKind::U32)) {
        return fail(i, "an index is neither i32 nor u32");
      }
      type = component_type(type, i.operands[k]);
      if (type == nullptr) return fail(i, "an index has nothing to select from");
    }
    const auto* result = sem::as_pointer(i.type);
    if (p == nullptr) return i.type == type || fail(i, "the component's type differs");
    return (result != nullptr && result->store == type && result->space == p->space && result->access == p->access) ||
           fail(i, "the resulting pointer's type differs");
  }

  bool call(const Instruction& i) {
    if (i.callee == nullptr) return fail(i, "no callee");
    if (functions_.count(i.callee) == 0) return fail(i, "the callee does not come before the caller");
    if (i.operands.size() != i.callee->parameters.size()) return fail(i, "wrong number of arguments");
    for (size_t k = 0; k < i.operands.size(); ++k) {
      if (i.operands[k]->type != i.callee->parameters[k]->type) return fail(i, "an argument's type differs");
    }
    return i.type == i.callee->return_type || fail(i, "the result's type differs");
  }

  bool condition(const Instruction& i) {
    return (i.operands.size() == 1 && i.operands[0]->type->is(TypeKind::Bool)) ||
           fail(i, "the condition is not a bool");
  }

  bool control(const Instruction& i, Context context) {
    if (i.op == Op::Loop) return loop(i);
    context.continuing = false;
    if (i.op == Op::If) {
      if (!condition(i)) return false;
      if (i.blocks.empty() || i.blocks.size() > 2) return fail(i, "an if has one or two blocks");
      for (const Block* b : i.blocks) {
        if (!block(b, context)) return false;
      }
      return true;
    }
    if (i.operands.size() != 1 || !i.operands[0]->type->is_integer_scalar()) return fail(i, "no integer selector");
    const auto defaults = std::count_if(i.cases.begin(), i.cases.end(), [](const auto& c) { return c.is_default; });
    if (defaults != 1) return fail(i, "a switch has exactly one default");
    context.in_breakable = true;
    for (const SwitchCase& c : i.cases) {
      for (const sem::Value* s : c.selectors) {
        if (s->type != i.operands[0]->type) return fail(i, "a selector's type differs");
      }
      if (!block(c.block, context)) return false;
    }
    return true;
  }

  bool loop(const Instruction& i) {
    if (i.blocks.empty() || i.blocks.size() > 2) return fail(i, "a loop has one or two blocks");
    const size_t mark = kept_.size();
    if (!block(i.blocks[0], {.in_loop = true, .in_breakable = true}, true)) return false;
    const bool ok = i.blocks.size() < 2 || block(i.blocks[1], {.continuing = true});
    for (size_t k = mark; k < kept_.size(); ++k) visible_.erase(kept_[k]);
    kept_.resize(mark);
    return ok;
  }

  bool return_value(const Instruction& i) {
    const bool is_void = function_->return_type->is(TypeKind::Void);
    if (is_void) return i.operands.empty() || fail(i, "a value returned from a function without a return type");
    return (i.operands.size() == 1 && i.operands[0]->type == function_->return_type) ||
           fail(i, "the returned type differs");
  }

  std::string error_;
  const Function* function_ = nullptr;
  std::unordered_set<uint32_t> ids_;
  std::unordered_set<const Value*> visible_;
  std::unordered_set<const Function*> functions_;
  std::vector<const Value*> kept_;
};

}  // namespace

std::string verify(const Module& module) { return Verifier().run(module); }

std::string verify(const Module& module, const Function& function) { return Verifier().run(module, function); }

}  // namespace kem::wgsl::ir
