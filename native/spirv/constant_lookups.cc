#include "spirv/constant_lookups.h"

// Before glslang's own:
#include <glslang/Include/Types.h>
// After it:
#include <glslang/Include/intermediate.h>

#include <array>
#include <bit>
#include <memory_resource>
#include <unordered_map>
#include <unordered_set>

#include "base/arena.h"
#include "base/hash_seed.h"

namespace kem::spirv {
namespace {

// The builder's lists.
enum class List { Bools, Integers, Floats, Vectors, Matrices, Arrays, Structures, ArrayTypes, PointerTypes, Count };

List list_of(glslang::TBasicType type) {
  switch (type) {
    case glslang::EbtBool:
      return List::Bools;
    case glslang::EbtInt:
    case glslang::EbtUint:
      return List::Integers;
    default:
      return List::Floats;
  }
}

uint64_t bits_of(const glslang::TConstUnion& value) {
  switch (value.getType()) {
    case glslang::EbtBool:
      return value.getBConst() ? 1 : 0;
    case glslang::EbtInt:
      return static_cast<uint32_t>(value.getIConst());
    case glslang::EbtUint:
      return uint64_t{1} << 32 | value.getUConst();
    default:
      return std::bit_cast<uint64_t>(value.getDConst());
  }
}

bool is_index(glslang::TOperator op) {
  return op == glslang::EOpIndexDirect || op == glslang::EOpIndexIndirect || op == glslang::EOpIndexDirectStruct;
}

// What a lookup takes besides, as so many constants.
constexpr uint64_t kLookup = 8;

// What barriers, atomics and operations of subgroups say of scope and memory.
bool has_scopes(glslang::TOperator op) {
  using namespace glslang;
  return (op >= EOpBarrier && op <= EOpMemoryBarrierShared) ||
         (op > EOpSubgroupGuardStart && op < EOpSubgroupGuardStop) || (op >= EOpAtomicAdd && op <= EOpAtomicStore);
}
constexpr uint64_t kScopes[] = {uint64_t{1} << 40, uint64_t{1} << 41, uint64_t{1} << 42};  // nobody else's bits
constexpr uint64_t kZeroAndOne[] = {uint64_t{1} << 43, uint64_t{1} << 44};

// Different pairs rarely give the same.
uint64_t mix(uint64_t a, uint64_t b) {
  const uint64_t sum = (a ^ 0x9e3779b97f4a7c15u) * 0xbf58476d1ce4e5b9u + b;
  return (sum ^ (sum >> 29)) * 0x94d049bb133111ebu;
}

uint64_t type_key(const glslang::TType& type) {
  uint64_t key = mix(type.getBasicType(),
                     static_cast<uint64_t>(type.getVectorSize()) * 16 + static_cast<uint64_t>(type.getMatrixCols()));
  if (type.isStruct()) key = mix(key, reinterpret_cast<uintptr_t>(type.getStruct()));
  if (!type.isArray()) return key;
  const glslang::TArraySizes& sizes = *type.getArraySizes();
  for (int k = 0; k < sizes.getNumDims(); ++k) key = mix(key, static_cast<uint32_t>(sizes.getDimSize(k)));
  return key;
}

class Lookups : public glslang::TIntermTraverser {
 public:
  explicit Lookups(uint64_t most) : most_(most) {}

  uint64_t passed() const { return passed_; }

  void visitSymbol(glslang::TIntermSymbol* node) override {
    if (!node->getConstArray().empty()) use(node->getType(), node->getConstArray());
  }
  void visitConstantUnion(glslang::TIntermConstantUnion* node) override { use(node->getType(), node->getConstArray()); }
  bool visitUnary(glslang::TVisit, glslang::TIntermUnary* node) override {
    const glslang::TBasicType to = node->getBasicType(), from = node->getOperand()->getBasicType();
    if ((to == glslang::EbtBool) != (from == glslang::EbtBool))
      for (const uint64_t key : kZeroAndOne) look_up(list_of(to == glslang::EbtBool ? from : to), key, 1);
    return use_scopes(node->getOp());
  }
  bool visitAggregate(glslang::TVisit, glslang::TIntermAggregate* node) override { return use_scopes(node->getOp()); }
  bool visitBinary(glslang::TVisit, glslang::TIntermBinary* node) override {
    if (!is_index(node->getOp())) return goes_on();
    convert(node->getLeft()->getType());
    if (!is_picked_from(*node)) {
      const glslang::TType& type = node->getType();
      convert(type);
      look_up(List::PointerTypes, type_key(type), 1);
      if ((type.isArray() || type.isStruct()) && is_in_buffer(*node)) copy(type);
    }
    return goes_on();
  }

 private:
  struct Parts {
    void add(uint64_t part) {
      mixed = mix(mixed, part);
      ++count;
    }
    uint64_t mixed = 0;
    uint64_t count = 0;
  };

  bool goes_on() const { return passed_ <= most_; }

  bool use_scopes(glslang::TOperator op) {
    if (has_scopes(op))
      for (const uint64_t key : kScopes) look_up(List::Integers, key, 1);
    return goes_on();
  }

  // Uses of one constant share its values, and pass as many constants each time but the first.
  void use(const glslang::TType& type, const glslang::TConstUnionArray& values) {
    if (values.empty() || !goes_on()) return;
    const auto known = tables_.find(&values[0]);
    if (known != tables_.end()) {
      passed_ += known->second;
      return;
    }
    int next = 0;
    constant(type, values, next);
    if (values.size() <= 4) return;
    const uint64_t before = passed_;
    next = 0;
    constant(type, values, next);
    tables_.emplace(&values[0], passed_ - before);
  }

  bool is_picked_from(const glslang::TIntermBinary& node) {
    TIntermNode* const parent = getParentNode();
    const glslang::TIntermBinary* const above = parent == nullptr ? nullptr : parent->getAsBinaryNode();
    return above != nullptr && is_index(above->getOp()) && above->getLeft() == &node;
  }
  static bool is_in_buffer(const glslang::TIntermBinary& node) {
    const glslang::TIntermTyped* base = node.getLeft();
    while (const glslang::TIntermBinary* below = base->getAsBinaryNode()) base = below->getLeft();
    return base->getQualifier().isUniformOrBuffer();
  }

  // As convertGlslangToSpvType() does: an array's size is a constant. Structures are converted once.
  void convert(const glslang::TType& type) {
    if (type.isStruct() && structures_.insert(type.getStruct()).second)
      for (const glslang::TTypeLoc& member : *type.getStruct()) convert(*member.type);
    if (!type.isArray() || type.isUnsizedArray()) return;
    const glslang::TArraySizes& sizes = *type.getArraySizes();
    for (int k = 0; k < sizes.getNumDims(); ++k)
      look_up(List::Integers, uint64_t{1} << 32 | static_cast<uint32_t>(sizes.getDimSize(k)), 1);
    look_up(List::ArrayTypes, type_key(type), 1);
  }

  // As multiTypeStore() does, for all that is in a buffer as a whole: each part is found by its index.
  void copy(const glslang::TType& type) {
    if (type.isUnsizedArray() || !goes_on()) return;
    if (type.isArray()) {
      const glslang::TType element(type, 0);
      for (int k = 0; k < type.getOuterArraySize(); ++k) copy_part(k, element);
    } else if (type.isStruct()) {
      int k = 0;
      for (const glslang::TTypeLoc& member : *type.getStruct()) copy_part(k++, *member.type);
    }
  }
  void copy_part(int index, const glslang::TType& type) {
    look_up(List::Integers, static_cast<uint32_t>(index), 1);
    copy(type);
  }

  // As createSpvConstantFromConstUnionArray() does. A number for the constant.
  uint64_t constant(const glslang::TType& type, const glslang::TConstUnionArray& values, int& next) {
    if (type.isArray()) {
      const glslang::TType element(type, 0);
      Parts parts;
      for (int k = 0; k < type.getOuterArraySize(); ++k) parts.add(constant(element, values, next));
      return composite(List::Arrays, parts);
    }
    if (type.isMatrix()) {
      const glslang::TType column(type, 0);
      Parts parts;
      for (int k = 0; k < type.getMatrixCols(); ++k) parts.add(constant(column, values, next));
      return composite(List::Matrices, parts);
    }
    if (type.isStruct()) {
      Parts parts;
      for (const glslang::TTypeLoc& member : *type.getStruct()) parts.add(constant(*member.type, values, next));
      return composite(List::Structures, parts);
    }
    if (type.getVectorSize() == 1) return scalar(values[next++]);
    Parts parts;
    for (int k = 0; k < type.getVectorSize(); ++k) parts.add(scalar(values[next++]));
    return composite(List::Vectors, parts);
  }

  uint64_t scalar(const glslang::TConstUnion& value) { return look_up(list_of(value.getType()), bits_of(value), 1); }

  // Its parts are compared with those of each constant that is passed, until two differ.
  uint64_t composite(List list, const Parts& parts) { return look_up(list, parts.mixed, 1 + parts.count / 8); }

  uint64_t look_up(List list, uint64_t key, uint64_t each) {
    uint32_t& size = sizes_[static_cast<size_t>(list)];
    const uint64_t number = mix(seed_ + static_cast<uint64_t>(list), key);
    const auto [at, is_new] = places_.emplace(number, size);
    if (is_new) ++size;
    passed_ += (at->second + kLookup) * each;
    return number;
  }

  const uint64_t seed_ = hash_seed();
  const uint64_t most_;
  uint64_t passed_ = 0;
  LocalMemory memory_;
  std::pmr::unordered_map<uint64_t, uint32_t> places_{memory_.resource()};  // of the constants in their lists
  std::array<uint32_t, static_cast<size_t>(List::Count)> sizes_{};
  std::pmr::unordered_map<const glslang::TConstUnion*, uint64_t> tables_{memory_.resource()};
  std::pmr::unordered_set<const glslang::TTypeList*> structures_{memory_.resource()};
};

}  // namespace

uint64_t count_constant_lookups(TIntermNode& tree, uint64_t most) {
  Lookups lookups(most);
  tree.traverse(&lookups);
  return lookups.passed();
}

}  // namespace kem::spirv
