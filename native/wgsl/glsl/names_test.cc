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
  EXPECT_LE(sanitized(std::string(1000, 'a')).size(), 40u);
}

TEST(Names, AreUnique) {
  Names names;
  EXPECT_EQ(names.value("x"), "x_1");
  EXPECT_EQ(names.value("x"), "x_2");
  EXPECT_EQ(names.type("x"), "x_t3");
  EXPECT_EQ(names.value("float"), "float_1");
  EXPECT_EQ(Names::member("x", 4), "x_m4");
}

}  // namespace
}  // namespace kem::wgsl::glsl
