// Type expressions (spec "Types", "Type Expressions", "Address Spaces").
#include "wgsl/quoted.h"
#include "wgsl/sem/resolver.h"

namespace kem::wgsl::sem {
namespace {

// Largest byte-size of a type: what 32-bit offsets can address.
constexpr uint64_t kLargestType = 0xFFFFFFFFu;

bool is_plain(const Type* type) {
  return type->is_scalar() || as_vector(type) || as_matrix(type) || as_array(type) || as_struct(type) ||
         as_atomic(type);
}

}  // namespace

const Type* Resolver::type(const ast::Expr* e) {
  if (e->kind != ast::ExprKind::Identifier) {
    error(e->span, "expected a type");
    return nullptr;
  }
  const auto& identifier = *static_cast<const ast::Identifier*>(e);
  const Entity* entity = resolve_name(identifier);
  if (entity == nullptr || entity->kind == Entity::Kind::Error) return nullptr;
  const bool outer = std::exchange(unevaluated_, false);
  const Type* result = entity->kind == Entity::Kind::Generator ? generate(identifier, entity->generator)
                                                               : type_of_entity(identifier, *entity);
  unevaluated_ = outer;
  if (result == nullptr) return nullptr;
  if ((result->traits & kContainsF16) != 0 && !entity->declared && !info_->enables_f16) {
    error(identifier.span, "type " + quoted(spelling(result)) + " needs 'enable f16;'");
    return nullptr;
  }
  use_type(result);
  return result;
}

const Type* Resolver::type_of_entity(const ast::Identifier& identifier, const Entity& entity) {
  if (entity.kind != Entity::Kind::Type) {
    Diagnostic& diagnostic = error(identifier.span, "cannot use " + std::string(describe(entity)) + " " +
                                                        quoted(identifier.name()) + " as a type");
    note_declared(diagnostic, entity, identifier.name());
    return nullptr;
  }
  if (identifier.has_template_list) {
    Diagnostic& diagnostic =
        error(identifier.span, "type " + quoted(identifier.name()) + " does not take template arguments");
    note_declared(diagnostic, entity, identifier.name());
    return nullptr;
  }
  return entity.type;
}

bool Resolver::template_count(const ast::Identifier& identifier, size_t least, size_t most) {
  const size_t count = identifier.template_args().size();
  if (count >= least && count <= most) return true;
  std::string wanted = std::to_string(least);
  if (most != least) wanted += " or " + std::to_string(most);
  error(identifier.span, quoted(identifier.name()) + " needs " + wanted + " template argument" +
                             (most == 1 ? "" : "s") + ", has " + std::to_string(count));
  return false;
}

const Entity* Resolver::enumerant(const ast::Expr* e, Entity::Kind kind, std::string_view wanted) {
  if (e->kind == ast::ExprKind::Identifier) {
    const auto& identifier = *static_cast<const ast::Identifier*>(e);
    const Entity* entity = resolve_name(identifier);
    if (entity == nullptr || entity->kind == Entity::Kind::Error) return nullptr;
    if (entity->kind == kind && !identifier.has_template_list) return entity;
    Diagnostic& diagnostic = error(e->span, "cannot use " + std::string(describe(*entity)) + " " +
                                                quoted(identifier.name()) + " as " + std::string(wanted));
    note_declared(diagnostic, *entity, identifier.name());
    return nullptr;
  }
  error(e->span, "expected " + std::string(wanted));
  return nullptr;
}

const Type* Resolver::generate(const ast::Identifier& identifier, const Generator& generator) {
  if (generator.kind == Generator::Kind::Buffer) return buffer_type(identifier);
  if (!identifier.has_template_list) {
    error(identifier.span, quoted(identifier.name()) + " needs template arguments here");
    return nullptr;
  }
  switch (generator.kind) {
    case Generator::Kind::Vector:
    case Generator::Kind::Matrix:
      return shape_type(identifier, generator);
    case Generator::Kind::Array:
      return array_type(identifier);
    case Generator::Kind::Atomic:
      return atomic_type(identifier);
    case Generator::Kind::Pointer:
      return pointer_type(identifier);
    case Generator::Kind::Texture:
      return texture_type(identifier, generator);
    case Generator::Kind::Buffer:
      break;
  }
  return nullptr;
}

const Type* Resolver::shape_type(const ast::Identifier& identifier, const Generator& generator) {
  if (!template_count(identifier, 1, 1)) return nullptr;
  const ast::Expr* argument = identifier.template_args()[0];
  const Type* element = type(argument);
  if (element == nullptr) return nullptr;
  if (generator.kind == Generator::Kind::Vector) {
    if (element->is_scalar()) return types_.vec(element, generator.rows);
    error(argument->span, "vector components must be bool, i32, u32, f32 or f16, not " + quoted(spelling(element)));
    return nullptr;
  }
  if (element->is_float_scalar()) return types_.mat(element, generator.columns, generator.rows);
  error(argument->span, "matrix components must be f32 or f16, not " + quoted(spelling(element)));
  return nullptr;
}

bool Resolver::check_nesting(const Type* type, Span span) {
  if (nest_depth(type) > options_.limits.composite_depth) {
    error(span, "type nests " + std::to_string(nest_depth(type)) + " levels deep, the limit is " +
                    std::to_string(options_.limits.composite_depth));
    return false;
  }
  if (size_of(type) > kLargestType) {
    error(span, "type is larger than " + std::to_string(kLargestType) + " bytes");
    return false;
  }
  return true;
}

bool Resolver::check_element(const Type* element, Span span, std::string_view what) {
  if (is_plain(element) && has_creation_fixed_footprint(element)) return true;
  Diagnostic& diagnostic = error(span, "type " + quoted(spelling(element)) + " cannot be " + std::string(what));
  if (is_plain(element)) diagnostic.notes.push_back({span, "its size is not known at shader creation"});
  return false;
}

const Type* Resolver::array_type(const ast::Identifier& identifier) {
  if (!template_count(identifier, 1, 2)) return nullptr;
  const Type* element = type(identifier.template_args()[0]);
  const bool good =
      element != nullptr && check_element(element, identifier.template_args()[0]->span, "the element type of an array");
  const Type* array = nullptr;
  if (identifier.template_args().size() == 1) {
    if (good) array = types_.runtime_array(element);
  } else {
    array = counted_array(identifier, good ? element : nullptr, identifier.template_args()[1]);
  }
  return array != nullptr && check_nesting(array, identifier.span) ? array : nullptr;
}

const Type* Resolver::counted(const ast::Expr* count, const std::string& what, Uses& uses) {
  Uses* const outer_uses = uses_;
  const uint32_t outer_number = uses_number_;
  begin_uses(uses);
  const Type* type = value_at(count, Stage::Override, what);
  uses_ = outer_uses;
  uses_number_ = outer_number;
  if (type == nullptr) return nullptr;
  if (!type->is_integer_scalar()) {
    error(count->span, what + " must be i32 or u32, not " + quoted(spelling(type)));
    return nullptr;
  }
  const Type* concrete = concretize(types_, type);
  return convert(count, concrete) ? concrete : nullptr;
}

const Type* Resolver::counted_array(const ast::Identifier& identifier, const Type* element, const ast::Expr* count) {
  Uses uses;
  if (counted(count, "the element count of an array", uses) == nullptr || element == nullptr) return nullptr;
  const ExprInfo& info = at(count);
  if (info.stage == Stage::Constant) {
    if (info.value == nullptr) return nullptr;
    if (info.value->integer <= 0) {
      error(count->span,
            "the element count of an array must be greater than zero, is " + std::to_string(info.value->integer));
      return nullptr;
    }
    const auto elements = static_cast<uint64_t>(info.value->integer);
    if (elements * array_stride(types_.runtime_array(element)) > kLargestType) {
      error(identifier.span, "array is larger than " + std::to_string(kLargestType) + " bytes");
      return nullptr;
    }
    return types_.array(element, elements);
  }
  // Two such types are the same if their counts are the same override's name, however often it is written.
  if (const Variable* variable = info.variable()) count = override_counts_.try_emplace(variable, count).first->second;
  const Array* array = types_.override_array(element, count);
  array_uses_[array] = uses;
  return array;
}

const Type* Resolver::atomic_type(const ast::Identifier& identifier) {
  if (!template_count(identifier, 1, 1)) return nullptr;
  const Type* element = type(identifier.template_args()[0]);
  if (element == nullptr) return nullptr;
  if (element == types_.i32() || element == types_.u32()) return types_.atomic(element);
  error(identifier.template_args()[0]->span, "an atomic holds i32 or u32, not " + quoted(spelling(element)));
  return nullptr;
}

std::string Resolver::store_type_problem(AddressSpace space, AccessMode access, const Type* store) const {
  const auto cannot = [&](const std::string& why) {
    return "type " + quoted(spelling(store)) + why + " in address space " + quoted(name(space));
  };
  if (!is_storable(store)) return "type " + quoted(spelling(store)) + " cannot be stored";
  switch (space) {
    case AddressSpace::Function:
    case AddressSpace::Private:
      if (!is_constructible(store)) return cannot(" is not constructible, so it cannot be stored");
      break;
    case AddressSpace::Workgroup:
      if ((!is_plain(store) && !as_buffer(store)) || !has_fixed_footprint(store))
        return cannot(" has no fixed size, so it cannot be stored");
      break;
    case AddressSpace::Immediate:
      if ((store->traits & kContainsArray) != 0) return cannot(" is or contains an array, so it cannot be stored");
      [[fallthrough]];
    case AddressSpace::Uniform:
      if (!is_host_shareable(store)) return cannot(" is not host-shareable, so it cannot be stored");
      if (as_buffer(store) && has_fixed_footprint(store) && space == AddressSpace::Uniform) return {};
      if (!is_constructible(store)) return cannot(" is not constructible, so it cannot be stored");
      break;
    case AddressSpace::Storage:
      if (!is_host_shareable(store)) return cannot(" is not host-shareable, so it cannot be stored");
      if (contains_atomic(store) && access != AccessMode::ReadWrite)
        return "atomics in address space 'storage' need access mode 'read_write'";
      break;
    case AddressSpace::Handle:
      if (!store->is(TypeKind::Texture) && !store->is(TypeKind::Sampler)) return cannot(" cannot be stored");
      break;
  }
  return {};
}

const Type* Resolver::pointer_type(const ast::Identifier& identifier) {
  if (!template_count(identifier, 2, 3)) return nullptr;
  const auto arguments = identifier.template_args();
  const Entity* space = enumerant(arguments[0], Entity::Kind::AddressSpace, "an address space");
  std::optional<AddressSpace> chosen;
  if (space != nullptr) chosen = space->space;
  const Type* store = type(arguments[1]);
  std::optional<AccessMode> access;
  if (arguments.size() == 3) {
    const Entity* mode = enumerant(arguments[2], Entity::Kind::AccessMode, "an access mode");
    if (mode == nullptr) return nullptr;
    access = mode->access;
  }
  if (!chosen || store == nullptr) return nullptr;
  if (access && *chosen != AddressSpace::Storage) {
    error(arguments[2]->span, "only pointers to address space 'storage' may specify an access mode");
    return nullptr;
  }
  if (access == AccessMode::Write) {
    error(arguments[2]->span, "address space 'storage' supports access modes 'read' and 'read_write'");
    return nullptr;
  }
  if (*chosen == AddressSpace::Immediate &&
      !needs(Language::ImmediateAddressSpace, "address space 'immediate'", arguments[0]->span))
    return nullptr;
  const bool read_only =
      *chosen == AddressSpace::Storage || *chosen == AddressSpace::Uniform || *chosen == AddressSpace::Immediate;
  const AccessMode mode = access.value_or(read_only ? AccessMode::Read : AccessMode::ReadWrite);
  if (std::string problem = store_type_problem(*chosen, mode, store); !problem.empty()) {
    error(arguments[1]->span, std::move(problem));
    return nullptr;
  }
  return types_.pointer(*chosen, store, mode);
}

const Type* Resolver::texture_type(const ast::Identifier& identifier, const Generator& generator) {
  const auto arguments = identifier.template_args();
  if (generator.texture_kind == TextureKind::Storage) {
    if (!template_count(identifier, 2, 2)) return nullptr;
    const Entity* format = enumerant(arguments[0], Entity::Kind::TexelFormat, "a texel format");
    const std::string_view texel = format != nullptr ? format->format : std::string_view();
    const Entity* mode = enumerant(arguments[1], Entity::Kind::AccessMode, "an access mode");
    if (texel.empty() || mode == nullptr) return nullptr;
    if (is_texel_format_tier1(texel) &&
        !needs(Language::TextureFormatsTier1, "texel format " + quoted(texel), arguments[0]->span))
      return nullptr;
    return types_.texture(TextureKind::Storage, generator.dimension, nullptr, texel, mode->access);
  }
  if (!template_count(identifier, 1, 1)) return nullptr;
  const Type* sampled = type(arguments[0]);
  if (sampled == nullptr) return nullptr;
  if (sampled != types_.f32() && sampled != types_.i32() && sampled != types_.u32()) {
    error(arguments[0]->span, "sampled textures hold f32, i32 or u32, not " + quoted(spelling(sampled)));
    return nullptr;
  }
  return types_.texture(generator.texture_kind, generator.dimension, sampled, "", AccessMode::Read);
}

}  // namespace kem::wgsl::sem
