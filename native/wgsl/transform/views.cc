#include <map>
#include <string>
#include <unordered_set>

#include "wgsl/sem/buffer_view.h"
#include "wgsl/transform/rewrite.h"
#include "wgsl/transform/transform.h"

namespace kem::wgsl::transform {
namespace {

using ast::BinaryOp;
using ir::Builder;
using ir::Function;
using ir::Instruction;
using ir::Op;
using ir::Value;
using sem::AddressSpace;
using sem::Builtin;
using sem::Type;
using sem::TypeKind;

constexpr uint64_t kWord = 4;
constexpr uint64_t kRow = 16;
constexpr uint64_t kMostUnrolled = 16;  // elements of an array that is loaded or stored in one piece

// Where a pointer points: memory of words, bytes from its start, and the bytes from there on that there are; null
// where nothing can ask for those.
struct View {
  Value* memory = nullptr;
  Value* offset = nullptr;
  Value* length = nullptr;
};

// Whether bufferLength or arrayLength can be asked of a pointer to the type, or of a part of it.
bool has_length(const Type* type) { return sem::as_buffer(type) != nullptr || sem::view_shape(type).stride != 0; }

uint64_t column_stride(const sem::Matrix* matrix) { return sem::size_of(matrix) / matrix->columns; }

Value* plus(Builder& b, Value* x, Value* y) {
  const auto known_x = ir::constant_integer(x), known_y = ir::constant_integer(y);
  if (known_x && known_y) return b.u32(static_cast<uint32_t>(*known_x + *known_y));
  if (known_x == 0) return y;
  return known_y == 0 ? x : b.binary(BinaryOp::Add, x, y);
}

Value* as_u32(Builder& b, Value* x) {
  if (const auto known = ir::constant_integer(x)) return b.u32(static_cast<uint32_t>(*known));
  return x->type->is(TypeKind::U32) ? x : b.convert(b.types().u32(), x);
}

Value* times(Builder& b, Value* x, uint64_t factor) {
  x = as_u32(b, x);
  if (const auto known = ir::constant_integer(x))
    return b.u32(static_cast<uint32_t>(static_cast<uint64_t>(*known) * factor));
  return factor == 1 ? x : b.binary(BinaryOp::Multiply, x, b.u32(factor));
}

// The bytes that are left after `taken`: none if there are not so many.
Value* less(Builder& b, Value* length, Value* taken) {
  if (ir::constant_integer(taken) == 0) return length;
  Value* within = b.builtin(Builtin::Min, b.types().u32(), {taken, length});
  return b.binary(BinaryOp::Subtract, length, within);
}

// The word at a byte offset.
Value* word(Builder& b, const View& view) {
  Value* index = nullptr;
  if (const auto known = ir::constant_integer(view.offset)) {
    index = b.u32(static_cast<uint64_t>(*known) / kWord);
  } else {
    index = b.binary(BinaryOp::ShiftRight, view.offset, b.u32(2));
  }
  const auto* memory = sem::as_array(sem::as_pointer(view.memory->type)->store);
  if (memory->element->is(TypeKind::U32)) return b.access(view.memory, {index});
  if (const auto known = ir::constant_integer(index)) {
    return b.access(view.memory, {b.u32(static_cast<uint64_t>(*known) / 4), b.u32(static_cast<uint64_t>(*known) % 4)});
  }
  return b.access(view.memory,
                  {b.binary(BinaryOp::ShiftRight, index, b.u32(2)), b.binary(BinaryOp::And, index, b.u32(3))});
}

View at(Builder& b, const View& view, uint64_t bytes) {
  return {view.memory, plus(b, view.offset, b.u32(bytes)), nullptr};
}

// ---- Loads ----------------------------------------------------------------------------------------------

Value* load(Builder& b, const View& view, const Type* type);

// One half of a word.
Value* load_f16(Builder& b, const View& view) {
  Value* halves = b.builtin(Builtin::Bitcast, b.types().vec(b.types().f16(), 2), {b.load(word(b, view))});
  if (const auto known = ir::constant_integer(view.offset)) return b.member(halves, *known % 4 == 2 ? 1 : 0);
  Value* half = b.binary(BinaryOp::And, b.binary(BinaryOp::ShiftRight, view.offset, b.u32(1)), b.u32(1));
  return b.access(halves, {half});
}

Value* load_vector(Builder& b, const View& view, const sem::Vector* type) {
  const uint64_t size = sem::size_of(type->element);
  std::vector<Value*> components;
  for (uint32_t k = 0; k < type->width;) {
    const View here = at(b, view, k * size);
    if (size == 2 && k + 1 < type->width) {  // two halves, which lie in one word
      const Type* pair = b.types().vec(type->element, 2);
      components.push_back(b.builtin(Builtin::Bitcast, pair, {b.load(word(b, here))}));
      k += 2;
    } else {
      components.push_back(load(b, here, type->element));
      k++;
    }
  }
  return components.size() == 1 ? components[0] : b.construct(type, components);
}

Value* load_array(Builder& b, const View& view, const sem::Array* type) {
  const uint64_t stride = sem::array_stride(type);
  if (type->count <= kMostUnrolled) {
    std::vector<Value*> elements;
    for (uint64_t k = 0; k < type->count; k++) elements.push_back(load(b, at(b, view, k * stride), type->element));
    return b.construct(type, elements);
  }
  Instruction* copy = b.var(type, ir::constant_zero(b.module(), type), "copy");
  repeat(b, type->count, [&](Builder& inner, Value* i) {
    const View here{view.memory, plus(inner, view.offset, times(inner, i, stride)), nullptr};
    Value* element = load(inner, here, type->element);
    inner.store(inner.access(copy, {i}), element);
  });
  return b.load(copy);
}

Value* load(Builder& b, const View& view, const Type* type) {
  if (type->is(TypeKind::F16)) return load_f16(b, view);
  if (type->is(TypeKind::U32)) return b.load(word(b, view));
  if (type->is_scalar()) return b.builtin(Builtin::Bitcast, type, {b.load(word(b, view))});
  if (const auto* vector = sem::as_vector(type)) return load_vector(b, view, vector);
  if (const auto* array = sem::as_array(type)) return load_array(b, view, array);
  std::vector<Value*> parts;
  if (const auto* matrix = sem::as_matrix(type)) {
    for (uint32_t k = 0; k < matrix->columns; k++)
      parts.push_back(load(b, at(b, view, k * column_stride(matrix)), matrix->column));
  } else {
    for (const sem::StructMember& m : sem::as_struct(type)->members)
      parts.push_back(load(b, at(b, view, m.offset), m.type));
  }
  return b.construct(type, parts);
}

// ---- Stores ---------------------------------------------------------------------------------------------

void store(Builder& b, const View& view, Value* value);

// The other half of the word belongs to another place in memory, which another invocation may be writing: both
// halves can only be written atomically.
void store_f16(Builder& b, const View& view, Value* value) {
  const Type* u32 = b.types().u32();
  const Type* pair = b.types().vec(b.types().f16(), 2);
  Value* zero = ir::constant_zero(b.module(), b.types().f16());
  Value* bits = b.builtin(Builtin::Bitcast, u32, {b.construct(pair, {value, zero})});
  Value* shift = b.binary(BinaryOp::Multiply, b.binary(BinaryOp::And, view.offset, b.u32(2)), b.u32(8));
  Value* others = b.unary(ast::UnaryOp::Complement, b.binary(BinaryOp::ShiftLeft, b.u32(0xFFFF), shift));
  Value* place = word(b, view);
  b.builtin(Builtin::AtomicAnd, u32, {place, others});
  b.builtin(Builtin::AtomicOr, u32, {place, b.binary(BinaryOp::ShiftLeft, bits, shift)});
}

void store_vector(Builder& b, const View& view, Value* value, const sem::Vector* type) {
  const uint64_t size = sem::size_of(type->element);
  for (uint32_t k = 0; k < type->width;) {
    const View here = at(b, view, k * size);
    if (size == 2 && k + 1 < type->width) {
      Value* pair = b.swizzle(value, {static_cast<uint8_t>(k), static_cast<uint8_t>(k + 1)});
      Value* bits = b.builtin(Builtin::Bitcast, b.types().u32(), {pair});
      b.store(word(b, here), bits);
      k += 2;
    } else {
      store(b, here, b.member(value, k));
      k++;
    }
  }
}

void store_array(Builder& b, const View& view, Value* value, const sem::Array* type) {
  const uint64_t stride = sem::array_stride(type);
  if (type->count <= kMostUnrolled) {
    for (uint64_t k = 0; k < type->count; k++) {
      const View here = at(b, view, k * stride);
      store(b, here, b.access(value, {b.u32(k)}));
    }
    return;
  }
  repeat(b, type->count, [&](Builder& inner, Value* i) {
    const View here{view.memory, plus(inner, view.offset, times(inner, i, stride)), nullptr};
    store(inner, here, inner.access(value, {i}));
  });
}

void store(Builder& b, const View& view, Value* value) {
  const Type* type = value->type;
  if (type->is(TypeKind::F16)) {
    store_f16(b, view, value);
  } else if (type->is(TypeKind::U32)) {
    b.store(word(b, view), value);
  } else if (type->is_scalar()) {
    Value* bits = b.builtin(Builtin::Bitcast, b.types().u32(), {value});
    b.store(word(b, view), bits);
  } else if (const auto* vector = sem::as_vector(type)) {
    store_vector(b, view, value, vector);
  } else if (const auto* array = sem::as_array(type)) {
    store_array(b, view, value, array);
  } else if (const auto* matrix = sem::as_matrix(type)) {
    for (uint32_t k = 0; k < matrix->columns; k++) {
      const View here = at(b, view, k * column_stride(matrix));
      store(b, here, b.access(value, {b.u32(k)}));
    }
  } else {
    for (const sem::StructMember& m : sem::as_struct(type)->members) {
      const View here = at(b, view, m.offset);
      store(b, here, b.member(value, m.index));
    }
  }
}

// ---- The pass -------------------------------------------------------------------------------------------

class Pass {
 public:
  Pass(ir::Module& module, bool words_in_uniforms, Diagnostics& diagnostics)
      : module_(module), types_(*module.types), words_in_uniforms_(words_in_uniforms), diagnostics_(diagnostics) {}

  void run() {
    for (ir::Variable* v : module_.variables) {
      if (const auto* buffer = sem::as_buffer(sem::as_pointer(v->type)->store)) give_words(*v, *buffer);
    }
    if (buffers_.empty()) return;
    visit(module_.entry);
    if (!diagnostics_.has_errors()) module_.functions = std::move(ordered_);
  }

 private:
  void give_words(ir::Variable& v, const sem::Buffer& buffer) {
    buffers_[&v] = &buffer;
    const bool rows = v.space == AddressSpace::Uniform && !words_in_uniforms_;
    const Type* element = rows ? static_cast<const Type*>(types_.vec(types_.u32(), 4)) : types_.u32();
    const uint64_t size = rows ? kRow : kWord;
    const Type* words = buffer.size_kind == sem::Array::Count::Runtime
                            ? types_.runtime_array(element)
                            : types_.array(element, (buffer.bytes + size - 1) / size);
    v.type = types_.pointer(v.space, words, v.access);
  }

  // Depth-first, so that callees come before callers in `ordered_`.
  void visit(Function* f) {
    if (!visited_.insert(f).second) return;
    Rewriter(module_, Ops::all(), [this](Builder& b, Instruction& i) { return instruction(b, i); }).run(*f);
    ordered_.push_back(f);
  }

  bool is_view(const Value* v) const { return views_.contains(v) || buffers_.contains(v); }

  View view_of(Builder& b, Value* v) {
    if (const auto found = views_.find(v); found != views_.end()) return found->second;
    const sem::Buffer& buffer = *buffers_.at(v);
    if (buffer.size_kind != sem::Array::Count::Runtime) return {v, b.u32(0), b.u32(buffer.bytes)};
    return {v, b.u32(0), b.binary(BinaryOp::Multiply, b.array_length(v), b.u32(kWord))};
  }

  // What becomes a view itself is dropped: whatever uses it is rewritten when its turn comes.
  Rewritten becomes(const Instruction& i, View view) {
    views_[&i] = view;
    return nullptr;
  }

  Rewritten instruction(Builder& b, Instruction& i) {
    if (i.op == Op::Call) {
      call(b, i);
      return std::nullopt;
    }
    if (i.operands.empty() || !is_view(i.operands[0])) return std::nullopt;
    const View view = view_of(b, i.operands[0]);
    switch (i.op) {
      case Op::Convert:
        return becomes(i, converted(b, view, *sem::as_buffer(sem::as_pointer(i.type)->store)));
      case Op::Access:
        return becomes(i, accessed(b, view, i));
      case Op::ArrayLength: {
        const uint64_t stride = sem::array_stride(sem::as_array(sem::as_pointer(i.operands[0]->type)->store));
        return b.binary(BinaryOp::Divide, view.length, b.u32(stride));
      }
      case Op::Load:
        return load(b, view, i.type);
      case Op::Store:
        store(b, view, i.operands[1]);
        return nullptr;
      case Op::Builtin:
        return builtin(b, view, i);
      default:
        return std::nullopt;
    }
  }

  // Spec "Buffer View Built-in Functions": the size is the least that was met on the way.
  static View converted(Builder& b, View view, const sem::Buffer& to) {
    if (to.size_kind == sem::Array::Count::Fixed) view.length = b.u32(to.bytes);
    return view;
  }

  Rewritten builtin(Builder& b, const View& view, Instruction& i) {
    switch (i.builtin) {
      case Builtin::BufferLength:
        return view.length;
      case Builtin::BufferView:
      case Builtin::BufferArrayView:
        return becomes(i, viewed(b, view, i));
      case Builtin::WorkgroupUniformLoad: {
        b.builtin(Builtin::WorkgroupBarrier, types_.void_type(), {});
        Value* value = load(b, view, i.type);
        b.builtin(Builtin::WorkgroupBarrier, types_.void_type(), {});
        return value;
      }
      default:
        return std::nullopt;
    }
  }

  View viewed(Builder& b, const View& buffer, const Instruction& i) {
    const auto* pointer = sem::as_pointer(i.type);
    const uint64_t align = sem::required_align_of(pointer->store, pointer->space, words_in_uniforms_);
    Value* offset = as_u32(b, i.operands[1]);
    if (!ir::constant_integer(offset) && align > 1)
      offset = b.binary(BinaryOp::And, offset, b.u32(~static_cast<uint32_t>(align - 1)));
    View view{buffer.memory, plus(b, buffer.offset, offset), nullptr};
    if (!has_length(pointer->store)) return view;
    view.length = less(b, buffer.length, offset);
    if (i.builtin == Builtin::BufferArrayView)
      view.length = b.builtin(Builtin::Min, types_.u32(), {view.length, as_u32(b, i.operands[2])});
    return view;
  }

  // An index out of range leads to some other place in the variable (spec "Out-of-bounds Access"): pass bounds sees
  // to it that it is one in the variable.
  static View accessed(Builder& b, View view, const Instruction& i) {
    const Type* type = sem::as_pointer(i.operands[0]->type)->store;
    for (size_t k = 1; k < i.operands.size(); k++) {
      Value* step = i.operands[k];
      if (const auto* structure = sem::as_struct(type)) {
        const auto& member = structure->members[static_cast<size_t>(*ir::constant_integer(step))];
        view.offset = plus(b, view.offset, b.u32(member.offset));
        type = member.type;
        if (view.length != nullptr)
          view.length = has_length(type) ? less(b, view.length, b.u32(member.offset)) : nullptr;
        continue;
      }
      uint64_t stride = 0;
      if (const auto* array = sem::as_array(type)) {
        stride = sem::array_stride(array);
        type = array->element;
      } else if (const auto* matrix = sem::as_matrix(type)) {
        stride = column_stride(matrix);
        type = matrix->column;
      } else {
        type = sem::as_vector(type)->element;
        stride = sem::size_of(type);
      }
      view.offset = plus(b, view.offset, times(b, step, stride));
      view.length = nullptr;
    }
    return view;
  }

  void call(Builder& b, Instruction& i) {
    std::string key = std::to_string(i.callee->id);
    std::vector<Value*> arguments;
    std::vector<View> views(i.operands.size());
    bool any = false;
    for (size_t k = 0; k < i.operands.size(); k++) {
      if (!is_view(i.operands[k])) {
        arguments.push_back(i.operands[k]);
        continue;
      }
      any = true;
      View& view = views[k];
      view = view_of(b, i.operands[k]);
      if (!has_length(sem::as_pointer(i.callee->parameters[k]->type)->store)) view.length = nullptr;
      key += ";" + std::to_string(k) + ":" + sem::spelling(view.memory->type);
      arguments.push_back(view.memory);
      arguments.push_back(view.offset);
      if (view.length != nullptr) arguments.push_back(view.length);
    }
    if (any) {
      Function*& copy = copies_[key];
      if (copy == nullptr) copy = make_copy(*i.callee, views);
      if (copies_.size() > kMaxSpecializations || instructions_ > kMaxSpecializedInstructions) {
        if (!diagnostics_.has_errors())
          diagnostics_.error(i.span, "too many combinations of pointers to buffers: more than " +
                                         std::to_string(kMaxSpecializations) + " copies of functions would be needed");
        return;
      }
      i.callee = copy;
      i.operands = arguments;
    }
    visit(i.callee);
  }

  Function* make_copy(const Function& from, const std::vector<View>& views) {
    Function* to = module_.function(from.name, from.return_type);
    Cloner cloner(module_);
    const auto add = [&](const Type* type, std::string_view name) -> Value* {
      to->parameters.push_back(module_.parameter(type, name, static_cast<uint32_t>(to->parameters.size())));
      return to->parameters.back();
    };
    for (const ir::Parameter* p : from.parameters) {
      const View& given = views[p->index];
      if (given.memory == nullptr) {
        cloner.map[p] = add(p->type, p->name);
        continue;
      }
      View view;
      view.memory = add(given.memory->type, p->name);
      view.offset = add(types_.u32(), "offset");
      if (given.length != nullptr) view.length = add(types_.u32(), "length");
      Value* stands_for = module_.parameter(p->type, p->name, 0);  // in no list: every use of it goes
      views_[stands_for] = view;
      cloner.map[p] = stands_for;
    }
    cloner.copy_into(*to->body, *from.body);
    for_each(to->body, [&](Instruction&) { ++instructions_; });
    return to;
  }

  ir::Module& module_;
  sem::TypeTable& types_;
  const bool words_in_uniforms_;
  Diagnostics& diagnostics_;
  std::unordered_map<const Value*, const sem::Buffer*> buffers_;  // the variables
  std::unordered_map<const Value*, View> views_;                  // pointers into them
  std::map<std::string, Function*> copies_;
  std::unordered_set<const Function*> visited_;
  std::vector<Function*> ordered_;
  size_t instructions_ = 0;
};

}  // namespace

void views(ir::Module& module, bool words_in_uniforms, Diagnostics& diagnostics) {
  Pass(module, words_in_uniforms, diagnostics).run();
}

}  // namespace kem::wgsl::transform
