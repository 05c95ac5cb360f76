// Attributes (spec "Attributes"): where each may stand, and what its parameters must be.
#include <algorithm>
#include <array>

#include "wgsl/quoted.h"
#include "wgsl/sem/resolver.h"

namespace kem::wgsl::sem {
namespace {

using A = ast::AttributeKind;

struct PlaceRow {
  A attribute;
  uint8_t places;
};
constexpr uint8_t kIo = kOnParameter | kOnReturnType | kOnMember;
constexpr PlaceRow kPlaces[] = {
    {A::Align, kOnMember},
    {A::Binding, kOnModuleVar},
    {A::BlendSrc, kOnMember},
    {A::Builtin, kIo},
    {A::Compute, kOnFunction},
    {A::Const, 0},
    {A::Diagnostic, kOnFunction | kOnStatement},
    {A::Fragment, kOnFunction},
    {A::Group, kOnModuleVar},
    {A::Id, kOnOverride},
    {A::Interpolate, kIo},
    {A::Invariant, kIo},
    {A::Location, kIo},
    {A::MustUse, kOnFunction},
    {A::Size, kOnMember},
    {A::SubgroupSize, kOnFunction},
    {A::Vertex, kOnFunction},
    {A::WorkgroupSize, kOnFunction},
};

constexpr std::string_view kNames[] = {
#define KEM_ROW(id, spelling, min, max) spelling,
    KEM_WGSL_ATTRIBUTES(KEM_ROW)
#undef KEM_ROW
};

std::string spelled(A attribute) { return "'@" + std::string(kNames[static_cast<size_t>(attribute)]) + "'"; }

struct ValueRow {
  BuiltinValue value;
  std::string_view type;   // spelling
  std::string_view needs;  // the enable-extension, empty if none
  std::optional<Language> language{};
};
// What each built-in value is (spec "Built-in Inputs and Outputs"); stages are resolve_entry_point.cc's.
constexpr ValueRow kValues[] = {
    {BuiltinValue::ClipDistances, "array<f32, N>", "clip_distances"},
    {BuiltinValue::FragDepth, "f32", ""},
    {BuiltinValue::FrontFacing, "bool", ""},
    {BuiltinValue::GlobalInvocationId, "vec3<u32>", ""},
    {BuiltinValue::GlobalInvocationIndex, "u32", "", Language::LinearIndexing},
    {BuiltinValue::InstanceIndex, "u32", ""},
    {BuiltinValue::LocalInvocationId, "vec3<u32>", ""},
    {BuiltinValue::LocalInvocationIndex, "u32", ""},
    {BuiltinValue::NumWorkgroups, "vec3<u32>", ""},
    {BuiltinValue::Position, "vec4<f32>", ""},
    {BuiltinValue::PrimitiveIndex, "u32", "primitive_index"},
    {BuiltinValue::SampleIndex, "u32", ""},
    {BuiltinValue::SampleMask, "u32", ""},
    {BuiltinValue::VertexIndex, "u32", ""},
    {BuiltinValue::WorkgroupId, "vec3<u32>", ""},
    {BuiltinValue::WorkgroupIndex, "u32", "", Language::LinearIndexing},
    {BuiltinValue::SubgroupInvocationId, "u32", "subgroups"},
    {BuiltinValue::SubgroupSize, "u32", "subgroups"},
    {BuiltinValue::SubgroupId, "u32", "subgroups", Language::SubgroupId},
    {BuiltinValue::NumSubgroups, "u32", "subgroups", Language::SubgroupId},
};

const ValueRow& row_of(BuiltinValue value) { return kValues[static_cast<size_t>(value)]; }

}  // namespace

const ast::Attribute* Resolver::find(ast::Attributes list, ast::AttributeKind kind) {
  const auto it = std::find_if(list.begin(), list.end(), [&](const ast::Attribute* a) { return a->kind == kind; });
  return it == list.end() ? nullptr : *it;
}

bool Resolver::attributes(ast::Attributes list, AttributePlace place, Span range, std::string_view what) {
  if (list.empty()) return true;  // as most are
  bool good = true;
  std::array<const ast::Attribute*, std::size(kPlaces)> seen{};  // by kind
  std::map<std::string, Span> rules;
  for (const ast::Attribute* attribute : list) {
    const A kind = attribute->kind;
    if ((kPlaces[static_cast<size_t>(kind)].places & place) == 0) {
      error(attribute->span, "attribute " + spelled(kind) + " is not allowed on " + std::string(what));
      good = false;
      continue;
    }
    if (kind == A::Diagnostic && attribute->diagnostic != nullptr) {
      const ast::DiagnosticControl& control = *attribute->diagnostic;
      filter(control, attribute->span, range);
      const std::string rule = std::string(control.rule_namespace.name()) + "." + std::string(control.rule.name());
      const auto [it, is_new] = rules.try_emplace(rule, attribute->span);
      if (!is_new) {
        Diagnostic& diagnostic = error(attribute->span, "'@diagnostic' for this rule is given twice");
        diagnostic.notes.push_back({it->second, "first given here"});
        good = false;
      }
      continue;
    }
    const ast::Attribute*& first = seen[static_cast<size_t>(kind)];
    if (first != nullptr) {
      Diagnostic& diagnostic = error(attribute->span, "attribute " + spelled(kind) + " is given twice");
      diagnostic.notes.push_back({first->span, "first given here"});
      good = false;
    } else {
      first = attribute;
    }
  }
  return good;
}

std::optional<int64_t> Resolver::attribute_value(const ast::Attribute& attribute, int64_t least, int64_t most) {
  if (attribute.args.empty()) return std::nullopt;
  const ast::Expr* e = attribute.args[0];
  const std::string what = "the parameter of " + spelled(attribute.kind);
  const Type* type = value_at(e, Stage::Constant, what);
  if (type == nullptr) return std::nullopt;
  if (!type->is_integer_scalar()) {
    error(e->span, what + " must be i32 or u32, not " + quoted(spelling(type)));
    return std::nullopt;
  }
  if (!convert(e, concretize(types_, type)) || at(e).value == nullptr) return std::nullopt;
  const int64_t number = at(e).value->integer;
  if (number >= least && number <= most) return number;
  error(e->span, what + " must be " +
                     (most >= INT32_MAX ? "at least " + std::to_string(least)
                                        : "from " + std::to_string(least) + " to " + std::to_string(most)) +
                     ", is " + std::to_string(number));
  return std::nullopt;
}

bool Resolver::builtin_attribute(const ast::Attribute& attribute, const Type* type, IoAttributes& out) {
  if (attribute.names.empty()) return false;
  const ast::Ident& named = attribute.names[0];
  const auto value = find_builtin_value(named.name());
  if (!value) {
    Diagnostic& diagnostic = error(named.span, "unknown built-in value " + quoted(named.name()));
    std::vector<std::string_view> names;
    for (const ValueRow& row : kValues) names.push_back(name(row.value));
    if (const auto suggestion = nearest(named.name(), names))
      diagnostic.notes.push_back({named.span, "did you mean " + quoted(*suggestion) + "?"});
    return false;
  }
  out.builtin = *value;
  out.builtin_span = attribute.span;
  const ValueRow& row = row_of(*value);
  if (!row.needs.empty() && !(row.needs == "subgroups" && info_->enables_subgroups)) {
    error(attribute.span, "built-in value " + quoted(named.name()) + " needs 'enable " + std::string(row.needs) + ";'");
    return false;
  }
  if (row.language && !needs(*row.language, "built-in value " + quoted(named.name()), attribute.span)) return false;
  if (attribute.names.size() > 1) {
    const ast::Ident& mode = attribute.names[1];
    if (!needs(Language::FragmentDepth, "a depth mode", mode.span)) return false;
    if (*value != BuiltinValue::FragDepth || (mode.name() != "less" && mode.name() != "greater")) {
      error(mode.span, "unknown depth mode " + quoted(mode.name()));
      return false;
    }
  }
  if (spelling(type) != row.type) {
    error(attribute.span, "built-in value " + quoted(named.name()) + " must be of type " + quoted(row.type) + ", not " +
                              quoted(spelling(type)));
    return false;
  }
  return true;
}

bool Resolver::interpolate_attribute(const ast::Attribute& attribute, IoAttributes& out) {
  if (attribute.names.empty()) return false;
  const std::string_view type = attribute.names[0].name();
  out.interpolation = type;
  out.interpolate_span = attribute.span;
  if (type != "flat" && type != "linear" && type != "perspective") {
    error(attribute.names[0].span, "unknown interpolation type " + quoted(type));
    return false;
  }
  if (attribute.names.size() < 2) return true;
  const std::string_view sampling = attribute.names[1].name();
  const bool provoking = sampling == "first" || sampling == "either";
  if (!provoking && sampling != "center" && sampling != "centroid" && sampling != "sample") {
    error(attribute.names[1].span, "unknown interpolation sampling " + quoted(sampling));
    return false;
  }
  if (provoking == (type == "flat")) return true;
  error(attribute.names[1].span,
        "interpolation sampling " + quoted(sampling) + " cannot be used with interpolation type " + quoted(type));
  return false;
}

bool Resolver::io_attributes(ast::Attributes list, const Type* type, IoAttributes& out) {
  bool good = true;
  for (const ast::Attribute* attribute : list) {
    switch (attribute->kind) {
      case A::Builtin:
        good &= builtin_attribute(*attribute, type, out);
        break;
      case A::Location: {
        const auto number = attribute_value(*attribute, 0, UINT32_MAX);
        good &= number.has_value();
        out.location = static_cast<uint32_t>(number.value_or(0));
        out.location_span = attribute->span;
        const bool numeric = (type->is_scalar() || as_vector(type)) && scalar_of(type)->is_numeric_scalar();
        if (!numeric) {
          error(attribute->span, "'@location' is for numeric scalars and vectors, not " + quoted(spelling(type)));
          good = false;
        }
        break;
      }
      case A::BlendSrc:
        error(attribute->span, "'@blend_src' needs 'enable dual_source_blending;'");
        good = false;
        break;
      case A::Interpolate:
        good &= interpolate_attribute(*attribute, out);
        break;
      case A::Invariant:
        out.invariant = true;
        out.invariant_span = attribute->span;
        break;
      default:
        break;
    }
  }
  if (!good) return false;
  if (out.invariant && out.builtin != BuiltinValue::Position) {
    error(out.invariant_span, "'@invariant' is only for the built-in value 'position'");
    return false;
  }
  if (!out.interpolation.empty() && !out.location) {
    error(out.interpolate_span, "'@interpolate' needs '@location'");
    return false;
  }
  return true;
}

}  // namespace kem::wgsl::sem
