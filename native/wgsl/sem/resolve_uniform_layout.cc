// Spec "Address Space Layout Constraints": what address space 'uniform' asks of a type's layout where language
// extension uniform_buffer_standard_layout is not supported.
#include <unordered_set>

#include "wgsl/sem/resolver.h"

namespace kem::wgsl::sem {
namespace {

constexpr uint64_t kRow = 16;

uint64_t round_up(uint64_t n) { return (n + kRow - 1) / kRow * kRow; }

// RequiredAlignOf(type, uniform)
uint64_t required_align(const Type* type) {
  return as_array(type) != nullptr || as_struct(type) != nullptr ? round_up(align_of(type)) : align_of(type);
}

// What is wrong with the type's layout; empty if nothing is. Types nest no deeper than Limits::composite_depth, and
// each structure is looked at once.
std::string problem_of(const Type* type, std::unordered_set<const Struct*>& checked) {
  if (const Array* array = as_array(type)) {
    if (array_stride(array) % kRow != 0)
      return "the elements of '" + spelling(array) + "' are " + std::to_string(array_stride(array)) +
             " bytes apart, not a multiple of 16";
    return problem_of(array->element, checked);
  }
  const Struct* structure = as_struct(type);
  if (structure == nullptr || !checked.insert(structure).second) return {};
  for (size_t i = 0; i < structure->members.size(); i++) {
    const StructMember& member = structure->members[i];
    const std::string name =
        "member '" + std::string(member.name) + "' of structure '" + std::string(structure->name) + "'";
    if (member.offset % required_align(member.type) != 0)
      return name + " is at offset " + std::to_string(member.offset) + ", not a multiple of " +
             std::to_string(required_align(member.type));
    if (i != 0 && as_struct(structure->members[i - 1].type) != nullptr) {
      const StructMember& before = structure->members[i - 1];
      if (member.offset - before.offset < round_up(size_of(before.type)))
        return name + " must be at least " + std::to_string(round_up(size_of(before.type))) +
               " bytes after the structure before it";
    }
    if (std::string problem = problem_of(member.type, checked); !problem.empty()) return problem;
  }
  return {};
}

}  // namespace

bool Resolver::uniform_layout(const Type* type, Span span) {
  if (is_available(Language::UniformBufferStandardLayout, options_)) return true;
  std::unordered_set<const Struct*> checked;
  const std::string problem = problem_of(type, checked);
  if (problem.empty()) return true;
  error(span, "type '" + spelling(type) + "' breaks the layout of address space 'uniform': " + problem);
  return false;
}

}  // namespace kem::wgsl::sem
