// Inputs and outputs of entry points (spec "Inter-stage Input and Output Interface").
#include <algorithm>
#include <set>

#include "wgsl/quoted.h"
#include "wgsl/sem/resolver.h"

namespace kem::wgsl::sem {
namespace {

constexpr uint8_t kComputeIn = 1, kVertexIn = 2, kVertexOut = 4, kFragmentIn = 8, kFragmentOut = 16;

// By BuiltinValue (spec "Built-in Inputs and Outputs", columns Stage and Direction).
constexpr uint8_t kDirections[] = {
    kVertexOut,                  // clip_distances
    kFragmentOut,                // frag_depth
    kFragmentIn,                 // front_facing
    kComputeIn,                  // global_invocation_id
    kComputeIn,                  // global_invocation_index
    kVertexIn,                   // instance_index
    kComputeIn,                  // local_invocation_id
    kComputeIn,                  // local_invocation_index
    kComputeIn,                  // num_workgroups
    kVertexOut | kFragmentIn,    // position
    kFragmentIn,                 // primitive_index
    kFragmentIn,                 // sample_index
    kFragmentIn | kFragmentOut,  // sample_mask
    kVertexIn,                   // vertex_index
    kComputeIn,                  // workgroup_id
    kComputeIn,                  // workgroup_index
    kComputeIn | kFragmentIn,    // subgroup_invocation_id
    kComputeIn | kFragmentIn,    // subgroup_size
    kComputeIn,                  // subgroup_id
    kComputeIn,                  // num_subgroups
};

uint8_t direction_bit(PipelineStage stage, bool output) {
  switch (stage) {
    case PipelineStage::Compute:
      return output ? 0 : kComputeIn;
    case PipelineStage::Vertex:
      return output ? kVertexOut : kVertexIn;
    case PipelineStage::Fragment:
      return output ? kFragmentOut : kFragmentIn;
    case PipelineStage::None:
      break;
  }
  return 0;
}

std::string_view stage_name(PipelineStage stage) {
  switch (stage) {
    case PipelineStage::Compute:
      return "compute";
    case PipelineStage::Vertex:
      return "vertex";
    default:
      return "fragment";
  }
}

}  // namespace

// The inputs, or the outputs, of one entry point.
struct Resolver::Interface {
  PipelineStage stage;
  bool output;
  std::map<uint32_t, Span> locations;
  std::map<BuiltinValue, Span> builtins;

  std::string side() const { return std::string(stage_name(stage)) + (output ? " output" : " input"); }
};

bool Resolver::io_object(Interface& interface, const IoAttributes& io, const Type* type, Span span, bool is_member) {
  if (io.builtin && io.location) {
    error(io.location_span, "'@builtin' and '@location' exclude each other");
    return false;
  }
  if (io.builtin) {
    const std::string what = "built-in value " + quoted(name(*io.builtin));
    if ((kDirections[static_cast<size_t>(*io.builtin)] & direction_bit(interface.stage, interface.output)) == 0) {
      error(io.builtin_span, what + " cannot be a " + interface.side());
      return false;
    }
    const auto [it, is_new] = interface.builtins.try_emplace(*io.builtin, io.builtin_span);
    if (is_new) return true;
    Diagnostic& diagnostic = error(io.builtin_span, what + " is used twice as a " + interface.side());
    diagnostic.notes.push_back({it->second, "first used here"});
    return false;
  }
  if (!io.location) {
    error(span, std::string(is_member          ? "structure member"
                            : interface.output ? "return value"
                                               : "parameter") +
                    " needs '@builtin' or '@location' to be a " + interface.side());
    return false;
  }
  if (interface.stage == PipelineStage::Compute) {
    error(io.location_span, "a compute entry point has no user-defined inputs or outputs");
    return false;
  }
  const bool interpolated = interface.output == (interface.stage == PipelineStage::Vertex);
  if (interpolated && scalar_of(type)->is_integer_scalar() && io.interpolation != "flat") {
    error(io.location_span, "an integer " + interface.side() + " needs '@interpolate(flat)'");
    return false;
  }
  const auto [it, is_new] = interface.locations.try_emplace(*io.location, io.location_span);
  if (is_new) return true;
  Diagnostic& diagnostic = error(io.location_span, "location " + std::to_string(*io.location) + " is used twice");
  diagnostic.notes.push_back({it->second, "first used here"});
  return false;
}

bool Resolver::io_type(Interface& interface, const IoAttributes& io, const Type* type, Span span) {
  const Struct* structure = as_struct(type);
  if (structure == nullptr || io.any()) return io_object(interface, io, type, span, false);
  bool good = true;
  for (const StructMember& member : structure->members) {
    if (member.syntax == nullptr || as_struct(member.type) != nullptr) {
      error(span, "structure " + quoted(structure->name) + " cannot be a " + interface.side() + ": its member " +
                      quoted(member.name) + " is a structure");
      return false;
    }
    good &= io_object(interface, member_io_[member.syntax], member.type, member.syntax->name.span, true);
  }
  return good;
}

bool Resolver::entry_point(const ast::Function& syntax, const Function& function,
                           std::span<Variable* const> parameters) {
  Interface inputs{function.stage, false, {}, {}}, outputs{function.stage, true, {}, {}};
  const bool is_entry = function.stage != PipelineStage::None;
  bool good = true;
  for (Variable* parameter : parameters) {
    const ast::Parameter& declared = *parameter->parameter;
    IoAttributes io;
    if (!is_entry && !declared.attributes.empty()) {
      error(declared.attributes[0]->span, "only parameters of entry points may have attributes");
      good = false;
      continue;
    }
    if (!io_attributes(declared.attributes, parameter->type, io)) {
      good = false;
      continue;
    }
    if (!is_entry) continue;
    parameter->builtin = io.builtin;
    good &= io_type(inputs, io, parameter->type, declared.name.span);
  }
  if (syntax.return_type == nullptr) {
    if (function.stage != PipelineStage::Vertex) return good;
    error(syntax.name.span, "a vertex entry point must return the built-in value 'position'");
    return false;
  }
  if (!is_entry) {
    if (syntax.return_attributes.empty()) return good;
    error(syntax.return_attributes[0]->span, "only return types of entry points may have attributes");
    return false;
  }
  if (function.stage == PipelineStage::Compute) {
    error(syntax.return_type->span, "a compute entry point cannot return a value");
    return false;
  }
  IoAttributes io;
  if (!io_attributes(syntax.return_attributes, function.return_type, io)) return false;
  good &= io_type(outputs, io, function.return_type, syntax.return_type->span);
  if (good && function.stage == PipelineStage::Vertex && !outputs.builtins.contains(BuiltinValue::Position)) {
    error(syntax.return_type->span, "a vertex entry point must return the built-in value 'position'");
    return false;
  }
  return good;
}

}  // namespace kem::wgsl::sem
