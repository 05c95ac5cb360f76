// Declarations of variables, values, aliases and structures (spec "Variable and Value Declarations", "Structure
// Types", "Type Aliases", "Memory Layout").
#include <algorithm>
#include <bit>

#include "wgsl/quoted.h"
#include "wgsl/sem/hints.h"
#include "wgsl/sem/resolver.h"

namespace kem::wgsl::sem {
namespace {

Variable::Kind kind_of(ast::VariableKind kind) {
  switch (kind) {
    case ast::VariableKind::Var:
      return Variable::Kind::Var;
    case ast::VariableKind::Let:
      return Variable::Kind::Let;
    case ast::VariableKind::Const:
      return Variable::Kind::Const;
    case ast::VariableKind::Override:
      return Variable::Kind::Override;
  }
  return Variable::Kind::Var;
}

}  // namespace

void Resolver::module_variable(const ast::Variable& syntax) {
  Uses uses;
  begin_uses(uses);
  const Variable* resolved = variable(syntax);
  uses_ = nullptr;
  if (resolved == nullptr || !within_budget(uses.size(), syntax.name.span)) {
    globals_.declare(syntax.name.symbol, Entity{});
    return;
  }
  if (!uses.empty()) variable_uses_[resolved] = std::move(uses);
  info_->module_variables.push_back(resolved);
  if (resolved->kind == Variable::Kind::Override) info_->overrides.push_back(resolved);
  globals_.declare(syntax.name.symbol, Entity::of(resolved));
}

const Variable* Resolver::variable(const ast::Variable& syntax) {
  Variable variable{};
  variable.kind = kind_of(syntax.variable_kind);
  variable.name = syntax.name.name();
  variable.syntax = &syntax;
  variable.initializer = syntax.initializer;
  variable.span = syntax.name.span;
  const bool at_module_scope = function_ == nullptr;
  AttributePlace place = kOnOther;
  if (at_module_scope && variable.kind == Variable::Kind::Var) place = kOnModuleVar;
  if (variable.kind == Variable::Kind::Override) place = kOnOverride;
  bool good = attributes(syntax.attributes, place, syntax.span, "this declaration");

  const Type* declared = syntax.type != nullptr ? type(syntax.type) : nullptr;
  if (syntax.type != nullptr && declared == nullptr) {
    if (syntax.initializer != nullptr) value(syntax.initializer);
    return nullptr;
  }
  if (declared == nullptr && syntax.initializer == nullptr) {
    error(syntax.name.span, quoted(variable.name) + " needs a type or an initializer");
    return nullptr;
  }
  switch (variable.kind) {
    case Variable::Kind::Const:
      good &= const_variable(syntax, variable, declared);
      break;
    case Variable::Kind::Override:
      good &= override_variable(syntax, variable, declared);
      break;
    case Variable::Kind::Let:
      good &= let_variable(syntax, variable, declared);
      break;
    default:
      good &= var_variable(syntax, variable, declared);
      break;
  }
  if (!good) return nullptr;
  const Variable* published = publish(variable);
  info_->variables[syntax.id] = published;
  return published;
}

// The initializer's conversion to the declared type, or its own concretized type (a const keeps abstract ones).
bool Resolver::initialize(const ast::Variable& syntax, Variable& variable, const Type* declared) {
  const ast::Expr* initializer = syntax.initializer;
  const ExprInfo& info = at(initializer);
  const Type* given = info.used_as();
  if (declared == nullptr) {
    variable.type = variable.kind == Variable::Kind::Const ? given : concretize(types_, given);
  } else if (conversion_rank(given, declared)) {
    variable.type = declared;
  } else {
    Diagnostic& diagnostic =
        error(initializer->span, "cannot initialize " + quoted(variable.name) + " of type " +
                                     quoted(spelling(declared)) + " with a value of type " + quoted(spelling(given)));
    hint_conversion(diagnostic, initializer->span, given, declared);
    return false;
  }
  return convert(initializer, variable.type);
}

bool Resolver::const_variable(const ast::Variable& syntax, Variable& variable, const Type* declared) {
  if (syntax.initializer == nullptr) {
    error(syntax.name.span, "const " + quoted(variable.name) + " needs an initializer");
    return false;
  }
  if (value_at(syntax.initializer, Stage::Constant, "the initializer of a const") == nullptr) return false;
  if (!initialize(syntax, variable, declared)) return false;
  variable.value = at(syntax.initializer).value;
  if (is_constructible(variable.type)) return true;
  error(syntax.name.span,
        "type " + quoted(spelling(variable.type)) + " of const " + quoted(variable.name) + " is not constructible");
  return false;
}

bool Resolver::override_variable(const ast::Variable& syntax, Variable& variable, const Type* declared) {
  if (syntax.initializer != nullptr) {
    if (value_at(syntax.initializer, Stage::Override, "the initializer of an override") == nullptr) return false;
    if (!initialize(syntax, variable, declared)) return false;
    variable.value = at(syntax.initializer).value;
  } else {
    variable.type = declared;
  }
  if (!variable.type->is_scalar()) {
    error(syntax.name.span,
          "an override must be a scalar, " + quoted(variable.name) + " is of type " + quoted(spelling(variable.type)));
    return false;
  }
  const ast::Attribute* id = find(syntax.attributes, ast::AttributeKind::Id);
  if (id == nullptr) return true;
  const auto number = attribute_value(*id, 0, 65535);
  if (!number) return false;
  variable.override_id = static_cast<uint16_t>(*number);
  const auto [it, is_new] = override_ids_.try_emplace(*variable.override_id, id->span);
  if (is_new) return true;
  Diagnostic& diagnostic = error(id->span, "override id " + std::to_string(*number) + " is used twice");
  diagnostic.notes.push_back({it->second, "first used here"});
  return false;
}

bool Resolver::let_variable(const ast::Variable& syntax, Variable& variable, const Type* declared) {
  if (function_ == nullptr) {
    error(syntax.name.span, "'let' may only be declared in a function: use 'const', 'override' or 'var<private>'");
    return false;
  }
  if (syntax.initializer == nullptr) {
    error(syntax.name.span, "let " + quoted(variable.name) + " needs an initializer");
    return false;
  }
  if (value(syntax.initializer) == nullptr || !initialize(syntax, variable, declared)) return false;
  const Type* type = variable.type;
  const bool handle = type->is(TypeKind::Texture) || type->is(TypeKind::Sampler);
  if (handle) return needs(Language::TextureAndSamplerLet, "a let of type " + quoted(spelling(type)), syntax.name.span);
  if (is_constructible(type) || as_pointer(type)) return true;
  error(syntax.name.span,
        "type " + quoted(spelling(type)) + " of let " + quoted(variable.name) + " is not constructible");
  return false;
}

bool Resolver::address_space(const ast::Variable& syntax, Variable& variable, const Type* declared) {
  const auto arguments = syntax.template_args;
  const bool at_module_scope = function_ == nullptr;
  if (arguments.size() > 2) {
    error(syntax.name.span, "'var' takes at most an address space and an access mode");
    return false;
  }
  std::optional<AddressSpace> space;
  if (!arguments.empty()) {
    const Entity* named = enumerant(arguments[0], Entity::Kind::AddressSpace, "an address space");
    if (named == nullptr) return false;
    space = named->space;
    if (space == AddressSpace::Immediate &&
        !needs(Language::ImmediateAddressSpace, "address space 'immediate'", arguments[0]->span))
      return false;
  }
  std::optional<AccessMode> access;
  if (arguments.size() == 2) {
    const Entity* named = enumerant(arguments[1], Entity::Kind::AccessMode, "an access mode");
    if (named == nullptr) return false;
    access = named->access;
    if (space != AddressSpace::Storage) {
      error(arguments[1]->span, "only variables in address space 'storage' may specify an access mode");
      return false;
    }
    if (access == AccessMode::Write) {
      error(arguments[1]->span, "address space 'storage' supports access modes 'read' and 'read_write'");
      return false;
    }
  }
  if (!at_module_scope && space && *space != AddressSpace::Function) {
    error(arguments[0]->span, "variables in a function are in address space 'function', not " + quoted(name(*space)));
    return false;
  }
  if (at_module_scope && space == AddressSpace::Function) {
    error(arguments[0]->span, "variables at module scope cannot be in address space 'function'");
    return false;
  }
  const bool handle = declared != nullptr && (declared->is(TypeKind::Texture) || declared->is(TypeKind::Sampler));
  if (handle && space) {
    error(arguments[0]->span, "variables of type " + quoted(spelling(declared)) + " do not specify an address space");
    return false;
  }
  if (at_module_scope && !space && !handle) {
    Diagnostic& diagnostic =
        error(syntax.name.span,
              "variable " + quoted(variable.name) + " at module scope needs an address space, as in 'var<private>'");
    if (!syntax.attributes.empty())
      diagnostic.notes.push_back(
          {syntax.name.span, "buffers are declared with 'var<storage>', 'var<storage, read_write>' or 'var<uniform>'"});
    return false;
  }
  variable.space = space.value_or(at_module_scope ? AddressSpace::Handle : AddressSpace::Function);
  const bool writable = variable.space == AddressSpace::Function || variable.space == AddressSpace::Private ||
                        variable.space == AddressSpace::Workgroup;
  variable.access = access.value_or(writable ? AccessMode::ReadWrite : AccessMode::Read);
  return true;
}

bool Resolver::var_variable(const ast::Variable& syntax, Variable& variable, const Type* declared) {
  if (!address_space(syntax, variable, declared)) return false;
  if (syntax.initializer != nullptr) {
    if (variable.space != AddressSpace::Function && variable.space != AddressSpace::Private) {
      error(syntax.initializer->span,
            "a variable in address space " + quoted(name(variable.space)) + " cannot have an initializer");
      return false;
    }
    const Stage latest = variable.space == AddressSpace::Private ? Stage::Override : Stage::Runtime;
    if (value_at(syntax.initializer, latest, "the initializer of a private variable") == nullptr) return false;
    if (!initialize(syntax, variable, declared)) return false;
  } else {
    variable.type = declared;
  }
  const Span where = syntax.type != nullptr ? syntax.type->span : syntax.name.span;
  if (std::string problem = store_type_problem(variable.space, variable.access, variable.type); !problem.empty()) {
    error(where, std::move(problem));
    return false;
  }
  if (variable.space == AddressSpace::Uniform && !uniform_layout(variable.type, where)) return false;
  use_type(variable.type);
  if (function_ != nullptr) facts_[function_->index].variable_bytes += size_of(variable.type);
  return resource(syntax, variable);
}

bool Resolver::resource(const ast::Variable& syntax, Variable& variable) {
  const ast::Attribute* group = find(syntax.attributes, ast::AttributeKind::Group);
  const ast::Attribute* binding = find(syntax.attributes, ast::AttributeKind::Binding);
  const bool is_resource = variable.space == AddressSpace::Uniform || variable.space == AddressSpace::Storage ||
                           variable.space == AddressSpace::Handle;
  if (!is_resource) {
    const ast::Attribute* wrong = group != nullptr ? group : binding;
    if (wrong == nullptr) return true;
    error(wrong->span, "'@group' and '@binding' are for resources, not for variables in address space " +
                           quoted(name(variable.space)));
    return false;
  }
  if (group == nullptr || binding == nullptr) {
    error(syntax.name.span, "resource " + quoted(variable.name) + " needs " +
                                (group != nullptr     ? "'@binding'"
                                 : binding != nullptr ? "'@group'"
                                                      : "'@group' and '@binding'"));
    return false;
  }
  const auto group_number = attribute_value(*group, 0, UINT32_MAX);
  const auto binding_number = attribute_value(*binding, 0, UINT32_MAX);
  if (!group_number || !binding_number) return false;
  variable.group = static_cast<uint32_t>(*group_number);
  variable.binding = static_cast<uint32_t>(*binding_number);
  return true;
}

void Resolver::alias(const ast::Alias& syntax) {
  const Type* named = type(syntax.type);
  globals_.declare(syntax.name.symbol, named != nullptr ? Entity::of(named, syntax.name.span) : Entity{});
}

void Resolver::structure(const ast::Struct& syntax) {
  globals_.declare(syntax.name.symbol, Entity{});
  bool good = true;
  if (syntax.members.empty()) {
    error(syntax.name.span, "structure " + quoted(syntax.name.name()) + " needs at least one member");
    good = false;
  }
  if (syntax.members.size() > options_.limits.struct_members) {
    error(syntax.name.span, "structure " + quoted(syntax.name.name()) + " has " +
                                std::to_string(syntax.members.size()) + " members, the limit is " +
                                std::to_string(options_.limits.struct_members));
    good = false;
  }
  std::vector<StructMember> members;
  members.reserve(syntax.members.size());
  LocalMemory memory;
  std::pmr::unordered_map<std::string_view, Span> names(memory.resource());
  for (const ast::StructMember* member_syntax : syntax.members) {
    if (diagnostics_.full()) return;
    const auto [it, is_new] = names.try_emplace(member_syntax->name.name(), member_syntax->name.span);
    if (!is_new) {
      Diagnostic& diagnostic =
          error(member_syntax->name.span,
                "structure " + quoted(syntax.name.name()) + " has two members " + quoted(member_syntax->name.name()));
      diagnostic.notes.push_back({it->second, "first declared here"});
      good = false;
    }
    StructMember member{};
    member.name = member_syntax->name.name();
    member.syntax = member_syntax;
    good &= struct_member(*member_syntax, member, member_syntax == syntax.members.back());
    members.push_back(member);
  }
  if (!good || !check_locations(syntax)) return;
  const Struct* made = types_.make_struct(syntax.name.name(), members, &syntax);
  if (check_nesting(made, syntax.name.span)) globals_.declare(syntax.name.symbol, Entity::of(made, syntax.name.span));
}

bool Resolver::struct_member(const ast::StructMember& syntax, StructMember& member, bool last) {
  const bool good = attributes(syntax.attributes, kOnMember, syntax.span, "a structure member");
  member.type = type(syntax.type);
  if (member.type == nullptr) return false;
  const Array* array = as_array(member.type);
  if (array != nullptr && array->count_kind == Array::Count::Runtime) {
    if (!last) {
      error(syntax.type->span, "a runtime-sized array must be the last member of its structure");
      return false;
    }
  } else if (!check_element(member.type, syntax.type->span, "the type of a structure member")) {
    return false;
  }
  IoAttributes io;
  const bool fine = member_layout(syntax, member) && io_attributes(syntax.attributes, member.type, io) && good;
  if (io.any()) member_io_[&syntax] = io;  // few have any
  return fine;
}

bool Resolver::member_layout(const ast::StructMember& syntax, StructMember& member) {
  if (const ast::Attribute* align = find(syntax.attributes, ast::AttributeKind::Align)) {
    const auto number = attribute_value(*align, 1, INT32_MAX);
    if (!number) return false;
    const auto bytes = static_cast<uint64_t>(*number);
    if (!std::has_single_bit(bytes) || bytes % align_of(member.type) != 0) {
      error(align->span, "'@align' must be a power of two and a multiple of " + std::to_string(align_of(member.type)) +
                             ", the alignment of " + quoted(spelling(member.type)));
      return false;
    }
    member.align = bytes;
  }
  if (const ast::Attribute* size = find(syntax.attributes, ast::AttributeKind::Size)) {
    const auto number = attribute_value(*size, 1, UINT32_MAX);
    if (!number) return false;
    if (!has_creation_fixed_footprint(member.type)) {
      error(size->span, "'@size' needs a member whose size is known at shader creation, " +
                            quoted(spelling(member.type)) + " is not");
      return false;
    }
    if (static_cast<uint64_t>(*number) < size_of(member.type)) {
      error(size->span, "'@size' must be at least " + std::to_string(size_of(member.type)) + ", the size of " +
                            quoted(spelling(member.type)));
      return false;
    }
    member.size = static_cast<uint64_t>(*number);
  }
  return true;
}

// Spec "Input-output Locations", for every structure whether or not an entry point uses it.
bool Resolver::check_locations(const ast::Struct& syntax) {
  std::map<uint32_t, Span> locations;
  for (const ast::StructMember* member : syntax.members) {
    const auto given = member_io_.find(member);
    if (given == member_io_.end() || !given->second.location) continue;
    const IoAttributes& io = given->second;
    const auto [it, is_new] = locations.try_emplace(*io.location, io.location_span);
    if (is_new) continue;
    Diagnostic& diagnostic = error(io.location_span, "location " + std::to_string(*io.location) + " is used twice");
    diagnostic.notes.push_back({it->second, "first used here"});
    return false;
  }
  return true;
}

}  // namespace kem::wgsl::sem
