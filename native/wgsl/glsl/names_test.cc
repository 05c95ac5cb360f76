#include "wgsl/glsl/names.h"

#include <gtest/gtest.h>

namespace kem::wgsl::glsl {
namespace {

TEST(Names, AreFitForGlsl) {
  EXPECT_EQ(sanitized("data"), "data");
  EXPECT_EQ(sanitized("a__b_"), "a_b");
  EXPECT_EQ(sanitized("_x"), "x");
  EXPECT_EQ(sanitized("größe"), "gr_e");
  EXPECT_EQ(sanitized("δ"), "v");
  EXPECT_EQ(sanitized(""), "v");
  EXPECT_EQ(sanitized("gl_Position"), "xgl_Position");
  EXPECT_EQ(sanitized("GL_core_profile"), "xGL_core_profile");
  EXPECT_EQ(sanitized("kem_divide"), "xkem_divide");
  EXPECT_EQ(sanitized("gl"), "xgl");  // a number follows, behind '_'
  EXPECT_EQ(sanitized("gl_é"), "xgl");
  EXPECT_EQ(sanitized("GL"), "xGL");
  EXPECT_EQ(sanitized("kem"), "xkem");
  EXPECT_EQ(sanitized("glow"), "glow");
  EXPECT_LE(sanitized(std::string(1000, 'a')).size(), 40u);
}

TEST(Text, IsWhatWasPutThere) {
  Text text;
  std::string expected;
  for (int k = 0; k < 100; ++k) {
    text += "piece ";
    text.number(k - 50);
    text.spaces(3);
    text += 'c';
    expected += "piece " + std::to_string(k - 50) + "   c";
  }
  text.insert(6, '(');
  expected.insert(6, 1, '(');
  text.drop_last();
  expected.pop_back();
  text.number(INT64_MIN);
  expected += std::to_string(INT64_MIN);
  EXPECT_EQ(text.view(), expected);
  EXPECT_EQ(text.size(), expected.size());
  EXPECT_EQ(text.take(), expected);
  EXPECT_EQ(text.size(), 0u);
  text += "again";
  EXPECT_EQ(text.take(), "again");
}

TEST(Names, AreUnique) {
  Names names;
  EXPECT_EQ(names.value("x"), "x_1");
  EXPECT_EQ(names.value("x"), "x_2");
  EXPECT_EQ(names.type("x"), "x_t3");
  EXPECT_EQ(names.value("float"), "float_1");
  Text member;
  Names::append_member(member, "x", 4);
  EXPECT_EQ(member.view(), "x_m4");
}

}  // namespace
}  // namespace kem::wgsl::glsl
