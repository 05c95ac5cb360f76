// Buffer types and the built-in functions that look into them (spec "Buffer Types", "Buffer View Built-in Functions").
#include "wgsl/quoted.h"
#include "wgsl/sem/buffer_view.h"
#include "wgsl/sem/resolver.h"

namespace kem::wgsl::sem {
namespace {

constexpr int64_t kLargestBuffer = 0xFFFFFFFFu;  // what 32-bit offsets can address

}  // namespace

const Type* Resolver::buffer_type(const ast::Identifier& identifier) {
  if (!needs(Language::BufferView, "type 'buffer'", identifier.span)) return nullptr;
  if (!identifier.has_template_list) return types_.runtime_buffer();
  if (!template_count(identifier, 1, 1)) return nullptr;
  const ast::Expr* size = identifier.template_args()[0];
  Uses uses;
  const Type* type = counted(size, "the size of a buffer", uses);
  if (type == nullptr) return nullptr;
  const ExprInfo& info = at(size);
  if (info.stage == Stage::Constant) {
    if (info.value == nullptr) return nullptr;
    const int64_t bytes = info.value->integer;
    if (bytes > 0 && bytes <= kLargestBuffer) return types_.buffer(static_cast<uint64_t>(bytes));
    error(size->span, "the size of a buffer must be greater than zero, is " + std::to_string(bytes));
    return nullptr;
  }
  if (const Variable* variable = info.variable()) size = override_counts_.try_emplace(variable, size).first->second;
  const Buffer* buffer = types_.override_buffer(size);
  array_uses_[buffer] = uses;
  return buffer;
}

// The pointer to a buffer that is a call's first argument; null, with an error, if it is none.
const MemoryView* Resolver::buffer_argument(const ast::Call& e, Builtin builtin, const Argument& given) {
  const MemoryView* pointer = as_pointer(given.type);
  if (pointer != nullptr && as_buffer(pointer->store) != nullptr) return pointer;
  error(e.args[0]->span, quoted(name(builtin)) + " takes a pointer to a buffer, not " + quoted(spelling(given.type)));
  return nullptr;
}

const Type* Resolver::buffer_length(const ast::Call& e) {
  Arguments given;
  if (!arguments(e, given) || !argument_count(e, 1, "bufferLength")) return nullptr;
  if (buffer_argument(e, Builtin::BufferLength, given[0]) == nullptr) return nullptr;
  return finish_builtin(e, Builtin::BufferLength, std::span(&given[0].type, 1), types_.u32());
}

std::string Resolver::view_type_problem(const Type* store, const MemoryView& buffer, Builtin builtin) const {
  const std::string type = "type " + quoted(spelling(store));
  if (as_buffer(store) != nullptr) return "a view cannot be a buffer itself";
  if (!is_host_shareable(store)) return type + " is not host-shareable, so there is no view of it";
  if (contains_atomic(store)) return type + " contains an atomic, so there is no view of it";
  if (builtin == Builtin::BufferArrayView && has_fixed_footprint(store))
    return quoted(name(builtin)) + " is for runtime-sized arrays and structures that end in one, not for " + type;
  if (buffer.space == AddressSpace::Uniform || buffer.space == AddressSpace::Storage ||
      buffer.space == AddressSpace::Workgroup)
    return {};
  return "there are no views in address space " + quoted(name(buffer.space));
}

const Type* Resolver::buffer_view(const ast::Call& e, Builtin builtin) {
  const bool is_array_view = builtin == Builtin::BufferArrayView;
  Arguments given;
  const bool good = arguments(e, given);
  if (!template_count(*e.callee, 1, 1)) return nullptr;
  const ast::Expr* written = e.callee->template_args()[0];
  const Type* store = type(written);
  if (!good || store == nullptr || !argument_count(e, is_array_view ? 3 : 2, name(builtin))) return nullptr;
  const MemoryView* buffer = buffer_argument(e, builtin, given[0]);
  if (buffer == nullptr) return nullptr;
  if (std::string problem = view_type_problem(store, *buffer, builtin); !problem.empty()) {
    error(written->span, std::move(problem));
    return nullptr;
  }
  if (buffer->space == AddressSpace::Uniform && !uniform_layout(store, written->span)) return nullptr;
  std::vector<const Type*> parameters{given[0].type};
  ViewArguments known;
  known.is_array_view = is_array_view;
  for (size_t i = 1; i < given.size(); i++) {
    if (!given[i].type->is_integer_scalar()) {
      error(e.args[i]->span, "argument " + std::to_string(i + 1) + " of " + quoted(name(builtin)) +
                                 " must be i32 or u32, not " + quoted(spelling(given[i].type)));
      return nullptr;
    }
    parameters.push_back(concretize(types_, given[i].type));
    if (!convert(e.args[i], parameters.back())) return nullptr;
    const Value* value = at(e.args[i]).value;
    if (value != nullptr) (i == 1 ? known.offset : known.size) = value->integer;
  }
  const Buffer* sized = as_buffer(buffer->store);
  if (sized->size_kind == Array::Count::Fixed) known.buffer_bytes = sized->bytes;
  const uint64_t align =
      required_align_of(store, buffer->space, is_available(Language::UniformBufferStandardLayout, options_));
  if (const std::string problem = view_problem(store, align, known); !problem.empty()) {
    error(e.span, quoted(name(builtin)) + ": " + problem);
    return nullptr;
  }
  return finish_builtin(e, builtin, parameters, types_.pointer(buffer->space, store, buffer->access));
}

// Spec "Conversion Rank": an argument of a user-defined function may point to a larger buffer than its parameter.
bool Resolver::is_buffer_conversion(const Type* from, const Type* to) {
  const MemoryView *source = as_pointer(from), *target = as_pointer(to);
  if (source == nullptr || target == nullptr) return false;
  if (source->space != target->space || source->access != target->access) return false;
  const Buffer *larger = as_buffer(source->store), *smaller = as_buffer(target->store);
  if (larger == nullptr || smaller == nullptr || larger->size_kind == Array::Count::Runtime) return false;
  if (smaller->size_kind == Array::Count::Runtime) return true;
  return larger->size_kind == Array::Count::Fixed && smaller->size_kind == Array::Count::Fixed &&
         smaller->bytes < larger->bytes;
}

}  // namespace kem::wgsl::sem
