#include "wgsl/sem/hints.h"

#include "wgsl/quoted.h"
#include "wgsl/sem/type.h"

namespace kem::wgsl::sem {
namespace {

bool is_numeric(const Type* type) {
  return (type->is_scalar() || as_vector(type)) && scalar_of(type)->is_numeric_scalar();
}

bool is_concrete_number(const Type* type) { return is_numeric(type) && is_concrete(type); }

// The name that a memory view or a value is reached by, through members and indices.
const ast::Identifier* root_of(const ast::Expr& e) {
  const ast::Expr* at = &e;
  for (;;) {
    switch (at->kind) {
      case ast::ExprKind::Identifier:
        return static_cast<const ast::Identifier*>(at);
      case ast::ExprKind::Index:
        at = static_cast<const ast::Index*>(at)->object;
        break;
      case ast::ExprKind::Member:
        at = static_cast<const ast::Member*>(at)->object;
        break;
      case ast::ExprKind::Unary:
        at = static_cast<const ast::Unary*>(at)->operand;
        break;
      default:
        return nullptr;
    }
  }
}

std::string why_fixed(const Variable& variable) {
  const std::string declared = quoted(variable.name) + " declared here";
  switch (variable.kind) {
    case Variable::Kind::Let:
      return declared + " with 'let': write 'var' for what can change";
    case Variable::Kind::Parameter:
      return declared + ": copy a parameter to a 'var' to change it";
    case Variable::Kind::Const:
    case Variable::Kind::Override:
      return declared + ", a constant: write 'var' for what can change";
    case Variable::Kind::Var:
      break;
  }
  if (variable.space == AddressSpace::Storage) return declared + " for reading: write 'var<storage, read_write>'";
  if (variable.space == AddressSpace::Uniform) return declared + ": uniform buffers are only read";
  return declared;
}

}  // namespace

void hint_conversion(Diagnostic& diagnostic, Span span, const Type* given, const Type* wanted) {
  if (const MemoryView* pointer = as_pointer(given); pointer != nullptr && pointer->store == wanted) {
    diagnostic.notes.push_back({span, "this is a pointer: write '*p' for what it points to"});
  } else if (const MemoryView* target = as_pointer(wanted); target != nullptr && target->store == given) {
    diagnostic.notes.push_back({span, "a pointer is wanted: write '&x' for a pointer to a variable 'x'"});
  } else if (is_numeric(given) && is_concrete_number(wanted) && width_of(given) == width_of(wanted)) {
    diagnostic.notes.push_back({span, "write '" + spelling(wanted) + "(...)' to convert it"});
  }
}

void hint_condition(Diagnostic& diagnostic, Span span, const Type* given) {
  if (as_vector(given) && scalar_of(given)->is(TypeKind::Bool)) {
    diagnostic.notes.push_back({span, "'all(...)' or 'any(...)' makes one bool of a vector"});
  } else if (given->is_scalar() && given->is_numeric_scalar()) {
    diagnostic.notes.push_back({span, "compare a number to get a bool, as in 'x != 0'"});
  }
}

void hint_load(Diagnostic& diagnostic, const ast::Expr& e, const Type* store) {
  if (as_atomic(store)) {
    diagnostic.notes.push_back({e.span, "atomics are read with 'atomicLoad(&a)'"});
  } else if (const Array* array = as_array(store); array != nullptr && array->count_kind == Array::Count::Runtime) {
    diagnostic.notes.push_back({e.span, "its size is not known: load its elements, or write '&a' for a pointer to it"});
  }
}

void hint_write(Diagnostic& diagnostic, const ast::Expr& e, const Info& info) {
  const ast::Identifier* root = root_of(e);
  const Variable* variable = root != nullptr ? info[root].variable() : nullptr;
  const ExprInfo::Swizzle* swizzle = info[&e].swizzle();
  if (e.kind == ast::ExprKind::Member && swizzle != nullptr && swizzle->count > 1) {
    diagnostic.notes.push_back({static_cast<const ast::Member&>(e).name_span(),
                                "one component at a time can be written, or the whole vector"});
  } else if (variable != nullptr) {
    diagnostic.notes.push_back({variable->span, why_fixed(*variable)});
  }
}

bool hint_operand(Diagnostic& diagnostic, const ast::Unary& e, const Type* operand) {
  if (as_pointer(operand)) {
    diagnostic.notes.push_back({e.operand->span, "this is a pointer: write '*p' for what it points to"});
    return true;
  }
  const bool is_bool = (operand->is_scalar() || as_vector(operand)) && scalar_of(operand)->is(TypeKind::Bool);
  std::string note;
  if (e.op == ast::UnaryOp::Negate && is_numeric(operand)) {
    note = "this is unsigned: only signed and floating-point numbers can be negated";
  } else if (e.op == ast::UnaryOp::Not && is_numeric(operand)) {
    note = "'!' is for bool: write '~' for the complement of an integer, or compare with zero";
  } else if (e.op == ast::UnaryOp::Complement && is_bool) {
    note = "'~' is for integers: write '!' for bool";
  }
  if (note.empty()) return false;
  diagnostic.notes.push_back({e.operand->span, std::move(note)});
  return true;
}

bool hint_operands(Diagnostic& diagnostic, const ast::Binary& e, const Type* left, const Type* right) {
  bool pointers = false;
  const auto pointer = [&](const ast::Expr* operand, const Type* type) {
    if (as_pointer(type) == nullptr) return;
    diagnostic.notes.push_back({operand->span, "this is a pointer: write '*p' for what it points to"});
    pointers = true;
  };
  pointer(e.lhs, left);
  pointer(e.rhs, right);
  if (pointers) return true;
  if (!is_numeric(left) || !is_numeric(right)) return false;
  const Type *left_scalar = scalar_of(left), *right_scalar = scalar_of(right);
  const bool shift = e.op == ast::BinaryOp::ShiftLeft || e.op == ast::BinaryOp::ShiftRight;
  if (shift) {
    if (right_scalar->is(TypeKind::U32) || !is_concrete(right)) return false;
    diagnostic.notes.push_back({e.rhs->span, "the number of bits must be u32: write 'u32(...)'"});
    return true;
  }
  if (left_scalar == right_scalar) return false;
  if (is_concrete(left) && is_concrete(right)) {
    diagnostic.notes.push_back({e.lhs->span, "this is " + quoted(spelling(left))});
    diagnostic.notes.push_back({e.rhs->span, "this is " + quoted(spelling(right)) + ": convert one of them, as in '" +
                                                 spelling(left_scalar) + "(...)'"});
    return true;
  }
  // An abstract operand takes on the other's type where it can; a fraction cannot become an integer.
  const bool left_abstract = !is_concrete(left);
  if (!(left_abstract ? left_scalar : right_scalar)->is(TypeKind::AbstractFloat)) return false;
  const Type* integer = left_abstract ? right : left;
  diagnostic.notes.push_back({left_abstract ? e.rhs->span : e.lhs->span,
                              "this is " + quoted(spelling(integer)) + ": convert it, as in 'f32(...)'"});
  return true;
}

}  // namespace kem::wgsl::sem
