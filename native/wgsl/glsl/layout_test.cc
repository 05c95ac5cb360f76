#include "wgsl/glsl/layout.h"

#include <gmock/gmock.h>

#include "wgsl/ir/testing.h"

namespace kem::wgsl::glsl {
namespace {

using ir::TestModule;

TEST(Layout, NeedsNoPaddingForWhatStd430DoesAlone) {
  TestModule t;
  const auto* s =
      t.structure("S", {TestModule::member("a", t.u32()), TestModule::member("b", t.vec(t.f32(), 3)),
                        TestModule::member("c", t.f32()), TestModule::member("d", t.types.mat(t.f32(), 3, 3))});
  EXPECT_FALSE(glsl::Layouts().has_padding(s));
}

TEST(Layout, PadsWhereAttributesAskForMore) {
  TestModule t;
  const auto* s = t.structure("S", {TestModule::member("a", t.u32(), 0, 16), TestModule::member("b", t.u32(), 32)});
  glsl::Layouts layouts;
  const auto& padding = layouts.padding_of(sem::as_struct(s));
  ASSERT_EQ(padding.size(), 3u);
  EXPECT_EQ(padding[0].bytes, 0u);
  EXPECT_EQ(padding[1].at, 4u);  // behind what std430 knows of a
  EXPECT_EQ(padding[1].bytes, 28u);
  EXPECT_EQ(padding[2].bytes, 28u);
  EXPECT_TRUE(layouts.has_padding(t.types.array(s, 2)));
}

}  // namespace
}  // namespace kem::wgsl::glsl
