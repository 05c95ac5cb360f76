#include "wgsl/sem/pointer_roots.h"

#include "wgsl/sem/walk.h"

namespace kem::wgsl::sem {

PointerRoots::PointerRoots(const Info& info, const Function& function) : info_(info) {
  for_each_statement(function.syntax->body, [&](const ast::Stmt* statement) {
    if (statement->kind != ast::StmtKind::Declaration) return;
    const ast::Variable* syntax = static_cast<const ast::Declaration*>(statement)->variable;
    if (syntax->variable_kind != ast::VariableKind::Let || as_pointer(info_[syntax->initializer].type) == nullptr)
      return;
    const Variable* declared = info_.declared_by(syntax);
    if (declared != nullptr) lets_.emplace(declared, of(syntax->initializer));
  });
}

Root PointerRoots::of(const ast::Expr* view) const {
  bool full = true;
  while (true) {
    switch (view->kind) {
      case ast::ExprKind::Index:
        full = false;
        view = static_cast<const ast::Index*>(view)->object;
        break;
      case ast::ExprKind::Member:
        full = false;
        view = static_cast<const ast::Member*>(view)->object;
        break;
      case ast::ExprKind::Unary:
        view = static_cast<const ast::Unary*>(view)->operand;
        break;
      case ast::ExprKind::Call: {  // bufferView, bufferArrayView: part of what the argument points to
        const auto* call = static_cast<const ast::Call*>(view);
        if (as_pointer(info_[view].type) == nullptr || call->args.empty()) return {};
        full = false;
        view = call->args[0];
        break;
      }
      case ast::ExprKind::Identifier: {
        const Variable* named = info_[view].variable();
        if (named == nullptr) return {};
        const auto let = lets_.find(named);
        if (let == lets_.end()) return {named, full};
        return {let->second.variable, full && let->second.full};
      }
      default:
        return {};
    }
  }
}

}  // namespace kem::wgsl::sem
