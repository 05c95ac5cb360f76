#include "wgsl/sem/override_eval.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <unordered_set>
#include <utility>

#include "wgsl/sem/half.h"

namespace kem::wgsl::sem {
namespace {

tl::unexpected<std::string> not_override_expression() {
  return tl::unexpected<std::string>("the expression cannot be evaluated at pipeline creation");
}

class Evaluator {
 public:
  Evaluator(const Info& info, ConstEval& eval, const OverrideValues& values)
      : info_(info), eval_(eval), values_(values) {}

  // Operators, indices and members chain along their left operand, without a bound on the length: those are
  // evaluated in a loop; the other operands nest no deeper than the parser allowed.
  Evaluated run(const ast::Expr* expression) {
    std::vector<const ast::Expr*> spine;
    const ast::Expr* at = expression;
    while (info_[at].value == nullptr && left_of(at) != nullptr) {
      spine.push_back(at);
      at = left_of(at);
    }
    Evaluated value = used(at, leaf(at));
    for (; value && !spine.empty(); spine.pop_back()) value = used(spine.back(), combine(spine.back(), *value));
    return value;
  }

 private:
  static const ast::Expr* left_of(const ast::Expr* e) {
    switch (e->kind) {
      case ast::ExprKind::Binary:
        return static_cast<const ast::Binary*>(e)->lhs;
      case ast::ExprKind::Index:
        return static_cast<const ast::Index*>(e)->object;
      case ast::ExprKind::Member:
        return static_cast<const ast::Member*>(e)->object;
      default:
        return nullptr;
    }
  }

  // Converts to the type that the context asks for.
  Evaluated used(const ast::Expr* e, Evaluated value) {
    const Type* target = info_[e].used_as();
    if (!value || target == nullptr) return value;
    return eval_.convert(*value, target);
  }

  Evaluated leaf(const ast::Expr* e) {
    const ExprInfo& info = info_[e];
    if (info.value != nullptr) return info.value;
    switch (e->kind) {
      case ast::ExprKind::Literal:
        return eval_.literal(*static_cast<const ast::Literal*>(e));
      case ast::ExprKind::Identifier:
        return identifier(info);
      case ast::ExprKind::Unary:
        return unary(static_cast<const ast::Unary*>(e));
      case ast::ExprKind::Call:
        return call(static_cast<const ast::Call*>(e));
      default:
        return not_override_expression();
    }
  }

  Evaluated identifier(const ExprInfo& info) {
    const Variable* named = info.variable();
    if (named == nullptr) return not_override_expression();
    const auto bound = values_.find(named);
    if (bound != values_.end()) return bound->second;
    if (named->kind == Variable::Kind::Const && named->value != nullptr) return named->value;
    return not_override_expression();
  }

  Evaluated unary(const ast::Unary* e) {
    if (e->op == ast::UnaryOp::Indirection || e->op == ast::UnaryOp::AddressOf) return not_override_expression();
    Evaluated operand = run(e->operand);
    if (!operand) return operand;
    return eval_.unary(e->op, *operand, info_[e].type);
  }

  Evaluated call(const ast::Call* e) {
    const CallTarget* target = info_[e].call();
    if (target == nullptr) return not_override_expression();
    std::vector<const Value*> arguments;
    for (const ast::Expr* argument : e->args) {
      Evaluated value = run(argument);
      if (!value) return value;
      arguments.push_back(*value);
    }
    const CallTarget& callee = *target;
    switch (callee.kind) {
      case CallTarget::Kind::Builtin:
        return eval_.builtin(callee.builtin, arguments, callee.result);
      case CallTarget::Kind::Construct:
        return eval_.construct(callee.result, arguments);
      case CallTarget::Kind::ZeroValue:
        return eval_.zero(callee.result);
      case CallTarget::Kind::Convert:
        return eval_.cast(arguments[0], callee.result);
      case CallTarget::Kind::Function:
        break;
    }
    return not_override_expression();
  }

  Evaluated combine(const ast::Expr* e, const Value* left) {
    if (e->kind == ast::ExprKind::Member) return member(e, left);
    if (e->kind == ast::ExprKind::Index) {
      Evaluated index = run(static_cast<const ast::Index*>(e)->index);
      if (!index) return index;
      return eval_.index(left, *index);
    }
    const auto* binary = static_cast<const ast::Binary*>(e);
    if (binary->op == ast::BinaryOp::LogicalAnd && !left->boolean) return left;
    if (binary->op == ast::BinaryOp::LogicalOr && left->boolean) return left;
    Evaluated right = run(binary->rhs);
    if (!right) return right;
    return eval_.binary(binary->op, left, *right, info_[e].type);
  }

  Evaluated member(const ast::Expr* e, const Value* left) {
    const ExprInfo& info = info_[e];
    if (const StructMember* field = info.member()) return eval_.component(left, field->index);
    const ExprInfo::Swizzle* swizzle = info.swizzle();
    if (swizzle == nullptr) return not_override_expression();
    return eval_.swizzle(left, std::span(swizzle->components).first(swizzle->count), info.type);
  }

  const Info& info_;
  ConstEval& eval_;
  const OverrideValues& values_;
};

// WebGPU: "pipeline constant identifier string".
std::string key_of(const Variable& override) {
  return override.override_id ? std::to_string(*override.override_id) : std::string(override.name);
}

std::string number(double value) {
  std::string text = std::to_string(value);
  if (text.find('.') != std::string::npos) text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text;
}

// WebGPU: the conversion of a GPUPipelineConstantValue: bool, [EnforceRange] long and unsigned long (which truncate
// first), float, and for f16 a float that is converted further.
Result<const Value*> given_value(const Variable& override, const Constant& constant, ConstEval& eval) {
  const Type* type = override.type;
  const auto refused = [&](std::string_view why) {
    return fail(ErrorClass::InvalidArgument, "constant '" + constant.key + "': " + std::string(why));
  };
  if (!std::isfinite(constant.value)) return refused("the value is not finite");
  const std::string too_far = number(constant.value) + " is out of the range of '" + spelling(type) + "'";
  switch (type->kind) {
    case TypeKind::Bool:
      return eval.boolean(constant.value != 0);
    case TypeKind::I32:
    case TypeKind::U32: {
      const bool is_signed = type->is(TypeKind::I32);
      const double lowest = is_signed ? -2147483648.0 : 0.0, highest = is_signed ? 2147483647.0 : 4294967295.0;
      const double whole = std::trunc(constant.value);
      if (whole < lowest || whole > highest) return refused(too_far);
      return eval.integer(type, static_cast<int64_t>(whole));
    }
    default: {
      double value = round_to_f32(constant.value);
      if (type->is(TypeKind::F16)) value = round_to_f16(value);
      if (!std::isfinite(value)) return refused(too_far);
      return eval.real(type, value);
    }
  }
}

// The overrides that `needed` lists and those that their defaults use.
std::unordered_set<const Variable*> close_over_defaults(const Info& info, std::vector<const Variable*> needed) {
  std::unordered_set<const Variable*> used;
  std::vector<const ast::Expr*> expressions;
  const auto push = [&](const ast::Expr* e) {
    if (e != nullptr) expressions.push_back(e);
  };
  while (!needed.empty() || !expressions.empty()) {
    if (expressions.empty()) {
      const Variable* variable = needed.back();
      needed.pop_back();
      if (variable->kind == Variable::Kind::Override && used.insert(variable).second) push(variable->initializer);
      continue;
    }
    const ast::Expr* e = expressions.back();
    expressions.pop_back();
    if (const Variable* named = info[e].variable()) needed.push_back(named);
    switch (e->kind) {
      case ast::ExprKind::Call:
        for (const ast::Expr* argument : static_cast<const ast::Call*>(e)->args) push(argument);
        break;
      case ast::ExprKind::Unary:
        push(static_cast<const ast::Unary*>(e)->operand);
        break;
      case ast::ExprKind::Binary:
        push(static_cast<const ast::Binary*>(e)->lhs);
        push(static_cast<const ast::Binary*>(e)->rhs);
        break;
      case ast::ExprKind::Index:
        push(static_cast<const ast::Index*>(e)->object);
        push(static_cast<const ast::Index*>(e)->index);
        break;
      case ast::ExprKind::Member:
        push(static_cast<const ast::Member*>(e)->object);
        break;
      default:
        break;
    }
  }
  return used;
}

Result<OverrideValues> given_values(const Info& info, const std::vector<Constant>& constants, ConstEval& eval) {
  std::unordered_map<std::string, const Variable*> by_key;
  for (const Variable* override : info.overrides) by_key.emplace(key_of(*override), override);
  OverrideValues values;
  for (const Constant& constant : constants) {
    const auto found = by_key.find(constant.key);
    if (found == by_key.end()) {
      return fail(ErrorClass::InvalidArgument, "constant '" + constant.key + "' names no override of the kernel");
    }
    KEM_TRY(const Value* value, given_value(*found->second, constant, eval));
    if (!values.emplace(found->second, value).second) {
      return fail(ErrorClass::InvalidArgument, "constant '" + constant.key + "' is given twice");
    }
  }
  return values;
}

}  // namespace

Evaluated evaluate(const ast::Expr* expression, const Info& info, ConstEval& eval, const OverrideValues& values) {
  return Evaluator(info, eval, values).run(expression);
}

Result<OverrideValues> bind_overrides(const Info& info, const Function& entry_point,
                                      const std::vector<Constant>& constants, ConstEval& eval,
                                      Diagnostics& diagnostics) {
  KEM_TRY(OverrideValues values, given_values(info, constants, eval));
  const auto used = close_over_defaults(
      info, std::vector<const Variable*>(entry_point.module_variables.begin(), entry_point.module_variables.end()));
  for (const Variable* variable : info.module_variables) {  // a default's own overrides come first
    if (variable->kind != Variable::Kind::Override || values.contains(variable)) continue;
    if (variable->initializer == nullptr) {
      if (!used.contains(variable)) continue;
      return fail(ErrorClass::InvalidArgument, "override '" + std::string(variable->name) +
                                                   "' has no default and the pipeline gives no constant '" +
                                                   key_of(*variable) + "'");
    }
    Evaluated value = evaluate(variable->initializer, info, eval, values);
    if (value) value = eval.convert(*value, variable->type);
    if (value) {
      values.emplace(variable, *value);
    } else if (used.contains(variable)) {
      diagnostics.error(variable->initializer->span, value.error());
      return fail(ErrorClass::InvalidKernel, value.error());
    }
  }
  return values;
}

}  // namespace kem::wgsl::sem
