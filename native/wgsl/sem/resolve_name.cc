#include "wgsl/sem/resolver.h"
#include "wgsl/syntax/foreign.h"

namespace kem::wgsl::sem {

void Resolver::note_declared(Diagnostic& diagnostic, const Entity& entity, std::string_view name) {
  if (entity.declared) diagnostic.notes.push_back({*entity.declared, "'" + std::string(name) + "' declared here"});
}

const Entity* Resolver::lookup(const Symbol* symbol) {
  if (const Entity* local = scopes_.find(symbol)) return local;
  return globals_.find(symbol);
}

const Entity* Resolver::find_declared(std::string_view name) const {
  if (const Entity* local = scopes_.find(name)) return local;
  return globals_.find_declared(name);
}

std::vector<std::string_view> Resolver::names_in_scope() const {
  std::vector<std::string_view> names = scopes_.names();
  for (const std::string_view name : globals_.names()) names.push_back(name);
  for (const std::string_view name : predeclared_names()) names.push_back(name);
  return names;
}

const Entity* Resolver::resolve_name(const ast::Identifier& identifier) {
  if (const Entity* entity = lookup(identifier.symbol)) return entity;
  Diagnostic& diagnostic =
      error(identifier.name_span(), "unresolved identifier '" + std::string(identifier.name()) + "'");
  if (const std::string_view advice = foreign_word(identifier.name()); !advice.empty()) {
    diagnostic.notes.push_back({identifier.name_span(), std::string(advice)});
  } else if (const auto suggestion = nearest(identifier.name(), names_in_scope())) {
    const Entity* suggested = find_declared(*suggestion);
    const bool placed = suggested != nullptr && suggested->declared;
    diagnostic.notes.push_back(
        {placed ? *suggested->declared : identifier.name_span(), "did you mean '" + std::string(*suggestion) + "'?"});
  }
  return nullptr;
}

void Resolver::begin_uses(Uses& uses) {
  uses_ = &uses;
  uses_number_ = ++last_uses_number_;
}

void Resolver::use(const Variable* variable) {
  if (!variable->is_module_scope() || uses_ == nullptr || !first_use(variable)) return;
  if (variable->kind == Variable::Kind::Var || variable->kind == Variable::Kind::Override) uses_->push_back(variable);
  const auto it = variable_uses_.find(variable);
  if (it == variable_uses_.end()) return;
  for (const Variable* needed : it->second)
    if (first_use(needed)) uses_->push_back(needed);
}

// False if the list has it. If a list within it (of an override-sized array's count) has had it since, the list gets it
// twice: such are taken out at the function's end.
bool Resolver::first_use(const Variable* variable) {
  if (variable->id >= in_uses_.size()) in_uses_.resize(std::max<size_t>(variable->id + 1, 2 * in_uses_.size()));
  return std::exchange(in_uses_[variable->id], uses_number_) != uses_number_;
}

void Resolver::use_type(const Type* type) {
  if (const MemoryView* pointer = as_pointer(type)) type = pointer->store;
  const auto it = array_uses_.find(type);
  if (it == array_uses_.end()) return;
  for (const Variable* variable : it->second) use(variable);
}

bool Resolver::within_budget(size_t uses, Span span) {
  constexpr size_t kMostUses = size_t{1} << 21;
  const bool was_within = total_uses_ <= kMostUses;
  total_uses_ += uses;
  if (total_uses_ <= kMostUses) return true;
  if (was_within) {
    error(span, "module is too large: its declarations, each with all that it depends on, use more than " +
                    std::to_string(kMostUses) + " module-scope variables");
  }
  return false;
}

const Variable* Resolver::publish(const Variable& variable) {
  Variable* copy = types_.arena().make<Variable>(variable);
  copy->id = next_variable_++;
  copy->function = function_;
  if (copy->kind == Variable::Kind::Var && copy->type != nullptr)
    copy->reference = types_.reference(copy->space, copy->type, copy->access);
  return copy;
}

}  // namespace kem::wgsl::sem
