#include "spirv/constant_lookups.h"

// Before glslang's own:
#include <glslang/Include/Types.h>
// After it:
#include <glslang/Include/intermediate.h>

#include <array>
#include <bit>
#include <string>
#include <unordered_map>
#include <vector>

namespace kem::spirv {
namespace {

// The builder's lists.
enum class List { Bools, Integers, Floats, Vectors, Matrices, Arrays, Structures, Count };

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

// What barriers, atomics and operations of subgroups say of scope and memory.
bool has_scopes(glslang::TOperator op) {
  using namespace glslang;
  return (op >= EOpBarrier && op <= EOpMemoryBarrierShared) ||
         (op > EOpSubgroupGuardStart && op < EOpSubgroupGuardStop) || (op >= EOpAtomicAdd && op <= EOpAtomicStore);
}
constexpr uint64_t kScopes[] = {uint64_t{1} << 40, uint64_t{1} << 41, uint64_t{1} << 42};  // nobody else's bits
constexpr uint64_t kZeroAndOne[] = {uint64_t{1} << 43, uint64_t{1} << 44};

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
      for (const uint64_t key : kZeroAndOne) scalar(list_of(to == glslang::EbtBool ? from : to), key);
    return use_scopes(node->getOp());
  }
  bool visitAggregate(glslang::TVisit, glslang::TIntermAggregate* node) override { return use_scopes(node->getOp()); }
  bool visitBinary(glslang::TVisit, glslang::TIntermBinary*) override { return goes_on(); }
  bool visitSelection(glslang::TVisit, glslang::TIntermSelection*) override { return goes_on(); }
  bool visitLoop(glslang::TVisit, glslang::TIntermLoop*) override { return goes_on(); }
  bool visitBranch(glslang::TVisit, glslang::TIntermBranch*) override { return goes_on(); }
  bool visitSwitch(glslang::TVisit, glslang::TIntermSwitch*) override { return goes_on(); }

 private:
  using Places = std::unordered_map<std::string, uint32_t>;

  bool goes_on() const { return passed_ <= most_; }

  bool use_scopes(glslang::TOperator op) {
    if (has_scopes(op))
      for (const uint64_t key : kScopes) scalar(List::Integers, key);
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

  // As createSpvConstantFromConstUnionArray() does. The constant's place in its list.
  uint32_t constant(const glslang::TType& type, const glslang::TConstUnionArray& values, int& next) {
    std::vector<uint32_t> parts;
    if (type.isArray()) {
      const glslang::TType element(type, 0);
      for (int k = 0; k < type.getOuterArraySize(); ++k) parts.push_back(constant(element, values, next));
      return composite(List::Arrays, parts);
    }
    if (type.isMatrix()) {
      const glslang::TType column(type, 0);
      for (int k = 0; k < type.getMatrixCols(); ++k) parts.push_back(constant(column, values, next));
      return composite(List::Matrices, parts);
    }
    if (type.isStruct()) {
      for (const glslang::TTypeLoc& member : *type.getStruct()) parts.push_back(constant(*member.type, values, next));
      return composite(List::Structures, parts);
    }
    if (type.getVectorSize() == 1) return scalar(values[next++]);
    for (int k = 0; k < type.getVectorSize(); ++k) parts.push_back(scalar(values[next++]));
    return composite(List::Vectors, parts);
  }

  uint32_t scalar(const glslang::TConstUnion& value) { return scalar(list_of(value.getType()), bits_of(value)); }
  uint32_t scalar(List list, uint64_t bits) {
    auto& places = scalars_[static_cast<size_t>(list)];
    const uint32_t place = places.emplace(bits, static_cast<uint32_t>(places.size())).first->second;
    passed_ += place + 1;
    return place;
  }

  // Its parts are compared with those of each that is passed, until two differ.
  uint32_t composite(List list, const std::vector<uint32_t>& parts) {
    Places& places = composites_[static_cast<size_t>(list)];
    std::string key(reinterpret_cast<const char*>(parts.data()), parts.size() * sizeof parts[0]);
    const uint32_t place = places.emplace(std::move(key), static_cast<uint32_t>(places.size())).first->second;
    passed_ += (place + 1) * (1 + parts.size() / 8);
    return place;
  }

  const uint64_t most_;
  uint64_t passed_ = 0;
  std::array<std::unordered_map<uint64_t, uint32_t>, static_cast<size_t>(List::Count)> scalars_;
  std::array<Places, static_cast<size_t>(List::Count)> composites_;
  std::unordered_map<const glslang::TConstUnion*, uint64_t> tables_;
};

}  // namespace

uint64_t count_constant_lookups(TIntermNode& tree, uint64_t most) {
  Lookups lookups(most);
  tree.traverse(&lookups);
  return lookups.passed();
}

}  // namespace kem::spirv
