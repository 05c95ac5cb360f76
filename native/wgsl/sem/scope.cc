#include "wgsl/sem/scope.h"

#include <algorithm>
#include <numeric>

namespace kem::wgsl::sem {

Entity Entity::of(const Variable* variable) {
  Entity entity;
  entity.kind = Kind::Variable;
  entity.variable = variable;
  entity.declared = variable->span;
  return entity;
}

Entity Entity::of(const Function* function, Span declared) {
  Entity entity;
  entity.kind = Kind::Function;
  entity.function = function;
  entity.declared = declared;
  return entity;
}

Entity Entity::of(const Type* type, std::optional<Span> declared) {
  Entity entity;
  entity.kind = Kind::Type;
  entity.type = type;
  entity.declared = declared;
  return entity;
}

std::string_view describe(const Entity& entity) {
  switch (entity.kind) {
    case Entity::Kind::Error:
      return "declaration";
    case Entity::Kind::Variable:
      switch (entity.variable->kind) {
        case Variable::Kind::Var:
          return "var";
        case Variable::Kind::Let:
          return "let";
        case Variable::Kind::Const:
          return "const";
        case Variable::Kind::Override:
          return "override";
        case Variable::Kind::Parameter:
          return "parameter";
      }
      return "variable";
    case Entity::Kind::Function:
      return "function";
    case Entity::Kind::Type:
      return "type";
    case Entity::Kind::Generator:
      return "type-generator";
    case Entity::Kind::Builtin:
      return "built-in function";
    case Entity::Kind::AddressSpace:
      return "address space";
    case Entity::Kind::AccessMode:
      return "access mode";
    case Entity::Kind::TexelFormat:
      return "texel format";
  }
  return "";
}

void ScopeStack::pop() {
  for (; slots_.size() > marks_.back(); slots_.pop_back()) innermost_[slots_.back().symbol->id] = slots_.back().hidden;
  marks_.pop_back();
}

bool ScopeStack::declare(const Symbol* symbol, const Entity& entity) {
  uint32_t& innermost = innermost_[symbol->id];
  if (innermost != kNone && innermost >= marks_.back()) return false;
  slots_.push_back({symbol, innermost, entity});
  innermost = static_cast<uint32_t>(slots_.size() - 1);
  return true;
}

const Entity* ScopeStack::find(std::string_view name) const {
  const auto slot = std::find_if(slots_.rbegin(), slots_.rend(), [&](const Slot& s) { return s.symbol->text == name; });
  return slot == slots_.rend() ? nullptr : &slot->entity;
}

std::vector<std::string_view> ScopeStack::names() const {
  std::vector<std::string_view> names;
  for (const Slot& slot : slots_) names.push_back(slot.symbol->text);
  return names;
}

void ModuleScope::declare(const Symbol* symbol, const Entity& entity) {
  uint32_t& place = places_[symbol->id];
  if (place < kNothing) {
    entities_[place] = entity;
    return;
  }
  place = static_cast<uint32_t>(entities_.size());
  entities_.push_back(entity);
  declared_.push_back(symbol);
}

const Entity* ModuleScope::find(const Symbol* symbol) {
  uint32_t& place = places_[symbol->id];
  if (place == kNotAsked) {
    const auto predeclared = find_predeclared(types_, symbol->text);
    place = predeclared ? static_cast<uint32_t>(entities_.size()) : kNothing;
    if (predeclared) entities_.push_back(*predeclared);
  }
  return place == kNothing ? nullptr : &entities_[place];
}

const Entity* ModuleScope::find_declared(std::string_view name) const {
  const auto symbol =
      std::find_if(declared_.begin(), declared_.end(), [&](const Symbol* s) { return s->text == name; });
  return symbol == declared_.end() ? nullptr : &entities_[places_[(*symbol)->id]];
}

std::vector<std::string_view> ModuleScope::names() const {
  std::vector<std::string_view> names;
  for (const Symbol* symbol : declared_) names.push_back(symbol->text);
  return names;
}

namespace {

// Levenshtein distance with transpositions of neighbours counted once; gives up over `limit`.
size_t edit_distance(std::string_view a, std::string_view b, size_t limit) {
  if (a.size() > b.size() + limit || b.size() > a.size() + limit) return limit + 1;
  std::vector<size_t> before(b.size() + 1), previous(b.size() + 1), row(b.size() + 1);
  std::iota(previous.begin(), previous.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); i++) {
    row[0] = i;
    for (size_t j = 1; j <= b.size(); j++) {
      row[j] = std::min({previous[j] + 1, row[j - 1] + 1, previous[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before.swap(previous);
    previous.swap(row);
  }
  return previous[b.size()];
}

constexpr size_t kLongestSuggested = 64;

}  // namespace

std::optional<std::string_view> nearest(std::string_view name, const std::vector<std::string_view>& candidates) {
  if (name.size() > kLongestSuggested) return std::nullopt;
  size_t best = std::max<size_t>(1, name.size() / 3) + 1;
  std::optional<std::string_view> found;
  for (const std::string_view candidate : candidates) {
    if (candidate == name || candidate.size() > kLongestSuggested) continue;
    const size_t distance = edit_distance(name, candidate, best);
    // Letters are left out more often than put in: of two that are as near, the longer.
    const bool nearer = distance < best || (distance == best && found && candidate.size() > found->size());
    if (nearer && distance < name.size()) {
      best = distance;
      found = candidate;
    }
  }
  return found;
}

}  // namespace kem::wgsl::sem
