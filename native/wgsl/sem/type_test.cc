#include "wgsl/sem/type.h"

#include <gtest/gtest.h>

namespace kem::wgsl::sem {
namespace {

StructMember member(std::string_view name, const Type* type, uint64_t align = 0, uint64_t size = 0) {
  return {name, type, 0, 0, align, size, nullptr};
}

TEST(TypeTable, EqualTypesAreOnePointer) {
  TypeTable types;
  EXPECT_EQ(types.vec(types.f32(), 3), types.vec(types.f32(), 3));
  EXPECT_NE(types.vec(types.f32(), 3), types.vec(types.f32(), 4));
  EXPECT_EQ(types.mat(types.f32(), 2, 3)->column, types.vec(types.f32(), 3));
  EXPECT_EQ(types.array(types.u32(), 4), types.array(types.u32(), 4));
  EXPECT_NE(types.array(types.u32(), 4), static_cast<const Type*>(types.runtime_array(types.u32())));
  EXPECT_NE(types.pointer(AddressSpace::Storage, types.u32(), AccessMode::Read),
            types.pointer(AddressSpace::Storage, types.u32(), AccessMode::ReadWrite));
  EXPECT_EQ(types.frexp_result(types.f32()), types.frexp_result(types.f32()));
  EXPECT_NE(types.frexp_result(types.f32()), types.modf_result(types.f32()));
}

TEST(Type, Spelling) {
  TypeTable types;
  EXPECT_EQ(spelling(types.vec(types.abstract_float(), 2)), "vec2<abstract-float>");
  EXPECT_EQ(spelling(types.mat(types.f16(), 4, 3)), "mat4x3<f16>");
  EXPECT_EQ(spelling(types.array(types.vec(types.f32(), 3), 5)), "array<vec3<f32>, 5>");
  EXPECT_EQ(spelling(types.pointer(AddressSpace::Storage, types.runtime_array(types.u32()), AccessMode::ReadWrite)),
            "ptr<storage, array<u32>, read_write>");
  EXPECT_EQ(
      spelling(types.texture(TextureKind::Storage, TextureDimension::D2Array, nullptr, "r32uint", AccessMode::Write)),
      "texture_storage_2d_array<r32uint, write>");
  EXPECT_EQ(spelling(types.frexp_result(types.vec(types.f32(), 2))), "__frexp_result_vec2_f32");
}

// Spec "Alignment and Size".
TEST(Type, AlignmentAndSize) {
  TypeTable types;
  const struct {
    const Type* type;
    uint64_t align, size;
  } rows[] = {
      {types.bool_type(), 4, 4},
      {types.f16(), 2, 2},
      {types.vec(types.f32(), 2), 8, 8},
      {types.vec(types.f32(), 3), 16, 12},
      {types.vec(types.u32(), 4), 16, 16},
      {types.vec(types.f16(), 2), 4, 4},
      {types.vec(types.f16(), 3), 8, 6},
      {types.mat(types.f32(), 2, 2), 8, 16},
      {types.mat(types.f32(), 3, 2), 8, 24},
      {types.mat(types.f32(), 4, 3), 16, 64},
      {types.mat(types.f16(), 3, 3), 8, 24},
      {types.atomic(types.u32()), 4, 4},
      {types.array(types.vec(types.f32(), 3), 3), 16, 48},
      {types.array(types.f32(), 5), 4, 20},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(align_of(row.type), row.align) << spelling(row.type);
    EXPECT_EQ(size_of(row.type), row.size) << spelling(row.type);
  }
}

// The examples of spec "Structure Member Layout".
TEST(Type, StructureLayout) {
  TypeTable types;
  const Type *f = types.f32(), *v2 = types.vec(f, 2), *v3 = types.vec(f, 3);
  const StructMember a_members[] = {member("u", f), member("v", f), member("w", v2), member("x", f)};
  const Struct* a = types.make_struct("A", a_members, nullptr);
  EXPECT_EQ(a->align, 8u);
  EXPECT_EQ(a->size, 24u);
  const StructMember b_members[] = {member("a", v2),
                                    member("b", v3),
                                    member("c", f),
                                    member("d", f),
                                    member("e", a),
                                    member("f", v3),
                                    member("g", types.array(a, 3)),
                                    member("h", types.i32())};
  const Struct* b = types.make_struct("B", b_members, nullptr);
  const uint64_t offsets[] = {0, 16, 28, 32, 40, 64, 80, 152};
  for (size_t i = 0; i < std::size(offsets); i++) EXPECT_EQ(b->members[i].offset, offsets[i]) << i;
  EXPECT_EQ(b->size, 160u);

  const StructMember c_members[] = {member("u", f), member("x", f, 0, 16), member("y", f, 32)};
  const Struct* c = types.make_struct("C", c_members, nullptr);
  EXPECT_EQ(c->members[1].size, 16u);
  EXPECT_EQ(c->members[2].offset, 32u);
  EXPECT_EQ(c->align, 32u);
  EXPECT_EQ(c->size, 64u);
}

TEST(Type, Predicates) {
  TypeTable types;
  const Type* runtime = types.runtime_array(types.u32());
  const Type* atomics = types.array(types.atomic(types.u32()), 2);
  EXPECT_FALSE(is_constructible(runtime));
  EXPECT_TRUE(is_host_shareable(runtime));
  EXPECT_FALSE(has_fixed_footprint(runtime));
  EXPECT_FALSE(is_constructible(atomics));
  EXPECT_TRUE(contains_atomic(atomics));
  EXPECT_TRUE(has_creation_fixed_footprint(atomics));
  EXPECT_FALSE(is_host_shareable(types.vec(types.bool_type(), 2)));
  EXPECT_FALSE(is_concrete(types.array(types.vec(types.abstract_int(), 2), 2)));
  EXPECT_FALSE(is_storable(types.abstract_int()));
  EXPECT_TRUE(is_storable(types.sampler(false)));
  const StructMember members[] = {member("n", types.u32()), member("a", runtime)};
  const Struct* structure = types.make_struct("S", members, nullptr);
  EXPECT_TRUE(is_host_shareable(structure));
  EXPECT_FALSE(is_constructible(structure));
  EXPECT_EQ(nest_depth(structure), 2u);
  EXPECT_EQ(nest_depth(types.array(types.mat(types.f32(), 2, 2), 2)), 3u);
}

}  // namespace
}  // namespace kem::wgsl::sem
