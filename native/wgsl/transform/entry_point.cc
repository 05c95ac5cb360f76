#include <algorithm>
#include <map>

#include "wgsl/transform/rewrite.h"
#include "wgsl/transform/transform.h"

namespace kem::wgsl::transform {
namespace {

using ast::BinaryOp;
using ir::Builder;
using ir::Instruction;
using ir::Intrinsic;
using ir::Value;
using sem::BuiltinValue;

// Built-in values, each made once at the entry point's start. Operands are made one after the other, so that the text
// is the same whichever compiler this is compiled with.
class BuiltinValues {
 public:
  explicit BuiltinValues(Builder& b) : b_(b), vec3u_(b.types().vec(b.types().u32(), 3)) {}

  void set(BuiltinValue which, Value* value) { made_[which] = value; }

  Value* get(BuiltinValue which) {
    Value*& v = made_[which];
    if (v == nullptr) v = make(which);
    return v;
  }

 private:
  Value* make(BuiltinValue which) {
    const sem::Type* u32 = b_.types().u32();
    switch (which) {
      case BuiltinValue::LocalInvocationId:
        return b_.module().in_one_row() ? local_id_of_index() : b_.intrinsic(Intrinsic::LocalInvocationId, vec3u_, {});
      case BuiltinValue::LocalInvocationIndex:
        return b_.intrinsic(Intrinsic::LocalInvocationIndex, u32, {});
      case BuiltinValue::WorkgroupId: {
        Value* base = b_.intrinsic(Intrinsic::DispatchBase, vec3u_, {});
        return b_.binary(BinaryOp::Add, base, b_.intrinsic(Intrinsic::WorkgroupId, vec3u_, {}));
      }
      case BuiltinValue::NumWorkgroups:
        return b_.intrinsic(Intrinsic::DispatchCount, vec3u_, {});
      case BuiltinValue::GlobalInvocationId: {
        Value* first = in_invocations(BuiltinValue::WorkgroupId);
        return b_.binary(BinaryOp::Add, first, get(BuiltinValue::LocalInvocationId));
      }
      case BuiltinValue::WorkgroupIndex: {
        Value* id = get(BuiltinValue::WorkgroupId);
        return linear(id, get(BuiltinValue::NumWorkgroups));
      }
      case BuiltinValue::GlobalInvocationIndex: {
        Value* id = get(BuiltinValue::GlobalInvocationId);
        return linear(id, in_invocations(BuiltinValue::NumWorkgroups));
      }
      case BuiltinValue::SubgroupInvocationId:
        return b_.intrinsic(Intrinsic::SubgroupInvocationId, u32, {});
      case BuiltinValue::SubgroupSize:
        return b_.intrinsic(Intrinsic::SubgroupSize, u32, {});
      case BuiltinValue::SubgroupId:
        return b_.intrinsic(Intrinsic::SubgroupId, u32, {});
      default:
        return b_.intrinsic(Intrinsic::NumSubgroups, u32, {});
    }
  }

  // (index % x, index / x % y, index / (x * y)) for a workgroup of (x, y, z).
  Value* local_id_of_index() {
    const auto& size = b_.module().workgroup_size;
    Value* index = get(BuiltinValue::LocalInvocationIndex);
    Value* row = b_.binary(BinaryOp::Divide, index, b_.u32(size[0]));
    return b_.construct(vec3u_, {b_.binary(BinaryOp::Remainder, index, b_.u32(size[0])),
                                 b_.binary(BinaryOp::Remainder, row, b_.u32(size[1])),
                                 b_.binary(BinaryOp::Divide, row, b_.u32(size[1]))});
  }

  Value* size() {
    if (size_ != nullptr) return size_;
    std::vector<Value*> components;
    for (const uint32_t n : b_.module().workgroup_size) components.push_back(b_.u32(n));
    return size_ = b_.construct(vec3u_, components);
  }

  // A number of workgroups, in each dimension, as one of invocations.
  Value* in_invocations(BuiltinValue workgroups) {
    Value* n = get(workgroups);
    return b_.binary(BinaryOp::Multiply, n, size());
  }

  // id.x + id.y * extent.x + id.z * extent.x * extent.y (spec "linear_indexing").
  Value* linear(Value* id, Value* extent) {
    Value* z = b_.member(id, 2);
    Value* rows = b_.binary(BinaryOp::Multiply, z, b_.member(extent, 1));
    rows = b_.binary(BinaryOp::Add, b_.member(id, 1), rows);
    Value* before = b_.binary(BinaryOp::Multiply, rows, b_.member(extent, 0));
    return b_.binary(BinaryOp::Add, b_.member(id, 0), before);
  }

  Builder& b_;
  const sem::Type* vec3u_;
  Value* size_ = nullptr;
  std::map<BuiltinValue, Value*> made_;
};

// One place in a workgroup variable that is zeroed with one store: the way there, dimensions being arrays' counts.
struct Leaf {
  ir::Variable* variable;
  struct Step {
    bool is_member;
    uint64_t number;  // member index, or the array's count
  };
  std::vector<Step> steps;
  uint64_t count = 1;  // product of the arrays' counts
};

bool contains_array_or_atomic(const sem::Type* type) {
  if (type->is(sem::TypeKind::Array) || type->is(sem::TypeKind::Atomic)) return true;
  const auto* structure = sem::as_struct(type);
  return structure != nullptr && std::any_of(structure->members.begin(), structure->members.end(),
                                             [](const auto& m) { return contains_array_or_atomic(m.type); });
}

void collect(const sem::Type* type, Leaf leaf, std::vector<Leaf>& leaves) {
  if (const auto* array = sem::as_array(type)) {
    leaf.steps.push_back({false, array->count});
    leaf.count *= array->count;
    return collect(array->element, std::move(leaf), leaves);
  }
  if (const auto* structure = sem::as_struct(type); structure != nullptr && contains_array_or_atomic(type)) {
    for (const sem::StructMember& member : structure->members) {
      Leaf inner = leaf;
      inner.steps.push_back({true, member.index});
      collect(member.type, std::move(inner), leaves);
    }
    return;
  }
  leaves.push_back(std::move(leaf));
}

// Stores zero at the `index`th place of the leaf.
void zero(Builder& b, const Leaf& leaf, Value* index) {
  std::vector<Value*> path;
  uint64_t inner = leaf.count;  // places below one element of the array at hand
  uint64_t outer = leaf.count;
  for (const Leaf::Step& step : leaf.steps) {
    if (step.is_member) {
      path.push_back(b.u32(step.number));
      continue;
    }
    inner /= step.number;
    if (step.number == 1) {
      path.push_back(b.u32(0));
    } else {
      Value* i = inner == 1 ? index : b.binary(BinaryOp::Divide, index, b.u32(inner));
      path.push_back(outer == leaf.count ? i : b.binary(BinaryOp::Remainder, i, b.u32(step.number)));
    }
    outer = inner;
  }
  Value* place = path.empty() ? static_cast<Value*>(leaf.variable) : b.access(leaf.variable, std::move(path));
  const sem::Type* store = sem::as_pointer(place->type)->store;
  if (const auto* atomic = sem::as_atomic(store)) {
    b.intrinsic(Intrinsic::AtomicStore, b.types().void_type(), {place, ir::constant_zero(b.module(), atomic->element)});
  } else {
    b.store(place, ir::constant_zero(b.module(), store));
  }
}

// Leaves with equal counts share one loop over the invocations of the workgroup.
void zero_workgroup_memory(Builder& b, BuiltinValues& values) {
  std::vector<Leaf> leaves;
  for (ir::Variable* v : b.module().variables) {
    if (v->space == sem::AddressSpace::Workgroup) collect(sem::as_pointer(v->type)->store, Leaf{v, {}, 1}, leaves);
  }
  if (leaves.empty()) return;
  std::map<uint64_t, std::vector<const Leaf*>> by_count;
  for (const Leaf& leaf : leaves) by_count[leaf.count].push_back(&leaf);
  Value* local = values.get(BuiltinValue::LocalInvocationIndex);
  const auto& size = b.module().workgroup_size;
  const uint64_t invocations = uint64_t{size[0]} * size[1] * size[2];
  for (const auto& [count, group] : by_count) {
    if (count == invocations) {
      for (const Leaf* leaf : group) zero(b, *leaf, local);
      continue;
    }
    if (count < invocations) {
      Instruction* first = b.if_(b.binary(BinaryOp::Less, local, b.u32(count)));
      Builder inner(b.module(), first->blocks[0]->instructions, b.span());
      for (const Leaf* leaf : group) zero(inner, *leaf, local);
      continue;
    }
    Instruction* index = b.var(b.types().u32(), local, "place");
    Instruction* loop = b.loop();
    Builder body(b.module(), loop->blocks[0]->instructions, b.span());
    Instruction* place = body.load(index);
    Instruction* done = body.if_(body.binary(BinaryOp::GreaterEqual, place, body.u32(count)));
    Builder(b.module(), done->blocks[0]->instructions, b.span()).simple(ir::Op::Break);
    for (const Leaf* leaf : group) zero(body, *leaf, place);
    body.store(index, body.binary(BinaryOp::Add, place, body.u32(invocations)));
  }
  b.intrinsic(Intrinsic::WorkgroupBarrier, b.types().void_type(), {});
}

// One invocation of each subgroup draws the next number. Behind the barrier the counter holds how many there are.
void number_subgroups(Builder& b, ir::Variable* counter, BuiltinValues& values) {
  const sem::Type* u32 = b.types().u32();
  Instruction* number = b.var(u32, b.u32(0), "subgroup_number");
  Instruction* elected = b.if_(b.intrinsic(Intrinsic::SubgroupElect, b.types().bool_type(), {}));
  Builder inner(b.module(), elected->blocks[0]->instructions, b.span());
  inner.store(number, inner.intrinsic(Intrinsic::AtomicAdd, u32, {counter, inner.u32(1)}));
  values.set(BuiltinValue::SubgroupId, b.intrinsic(Intrinsic::SubgroupBroadcastFirst, u32, {b.load(number)}));
  b.intrinsic(Intrinsic::WorkgroupBarrier, b.types().void_type(), {});
  values.set(BuiltinValue::NumSubgroups, b.intrinsic(Intrinsic::AtomicLoad, u32, {counter}));
}

}  // namespace

void entry_point(ir::Module& module) {
  ir::Function& entry = *module.entry;
  std::vector<Instruction*> start;
  Builder b(module, start);
  BuiltinValues values(b);
  zero_workgroup_memory(b, values);
  if (module.subgroup_counter != nullptr) number_subgroups(b, module.subgroup_counter, values);
  std::map<const Value*, Value*> replaced;
  for (const ir::Parameter* p : entry.parameters) {
    replaced[p] = values.get(*p->builtin);
    if (replaced[p]->name.empty()) replaced[p]->name = p->name;
  }
  entry.parameters.clear();
  for_each(entry.body, [&](Instruction& i) {
    for (Value*& operand : i.operands) {
      if (const auto found = replaced.find(operand); found != replaced.end()) operand = found->second;
    }
  });
  entry.body->instructions.insert(entry.body->instructions.begin(), start.begin(), start.end());
}

}  // namespace kem::wgsl::transform
