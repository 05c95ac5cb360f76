// Shaders that glslang would take seconds or GiBs for are refused, and their like that it would not compile.
#include <gmock/gmock.h>

#include <string>
#include <string_view>

#include "spirv/spirv.h"

namespace kem::spirv {
namespace {

using testing::HasSubstr;

std::string shader(std::string_view declarations, std::string_view body) {
  return "#version 460\nlayout(local_size_x = 1) in;\nlayout(std430, set = 0, binding = 0) buffer B { uint[] u; };\n" +
         std::string(declarations) + "\nvoid main() {\n" + std::string(body) + "\n}\n";
}

// piece(0) piece(1) ... piece(count - 1)
template <class Piece>
std::string many(size_t count, Piece piece) {
  std::string text;
  for (size_t k = 0; k < count; ++k) text += piece(k);
  return text;
}

std::string list(size_t count) {
  return many(count, [](size_t k) { return (k == 0 ? "" : ", ") + std::to_string(k + 9) + "u"; });
}

// What a refusal says; nothing of what compiles.
std::string refusal(const std::string& glsl) {
  const auto words = compile(glsl);
  if (words) return "";
  EXPECT_EQ(words.error().error_class, ErrorClass::UnsupportedKernel) << words.error().message;
  return words.error().message;
}

constexpr std::string_view kTooOften = "uses too many different constants or types too often";

TEST(ConstantLookups, OfDifferentLiterals) {
  const auto literals = [](size_t count) {
    return many(count, [](size_t k) { return "u[0] += " + std::to_string(k) + "u;"; });
  };
  EXPECT_EQ(refusal(shader("", literals(8000))), "");
  EXPECT_THAT(refusal(shader("", literals(8000) + many(8000, [](size_t) { return "u[0] += 7999u;"; }))),
              HasSubstr(kTooOften));
}

TEST(ConstantLookups, OfTablesElements) {
  const std::string table = "const uint[2000] t = uint[2000](" + list(2000) + ");";
  const auto uses = [](size_t count) { return many(count, [](size_t) { return "u[0] += t[u[1]];"; }); };
  EXPECT_EQ(refusal(shader(table, uses(20))), "");
  EXPECT_THAT(refusal(shader(table, uses(40))), HasSubstr(kTooOften));
}

TEST(ConstantLookups, OfTablesAlike) {
  const auto tables = [](size_t count) {
    return many(count, [](size_t k) {
      return "const uint[65] t" + std::to_string(k) + " = uint[65](" + list(64) + ", " + std::to_string(k) + "u);";
    });
  };
  const std::string uses = many(12'000, [](size_t k) { return "u[0] += t" + std::to_string(k % 5 + 495) + "[u[1]];"; });
  EXPECT_EQ(refusal(shader(tables(500), "u[0] += t499[u[1]];")), "");
  EXPECT_THAT(refusal(shader(tables(500),
                             many(500, [](size_t k) { return "u[0] += t" + std::to_string(k) + "[u[1]];"; }) + uses)),
              HasSubstr(kTooOften));
}

TEST(ConstantLookups, OfScopes) {
  const std::string literals = many(6000, [](size_t k) { return "u[0] += " + std::to_string(k + 1000) + "u;"; });
  for (const std::string_view text : {"barrier();", "atomicAdd(u[0], u[1]);"}) {
    EXPECT_EQ(refusal(shader("", many(10'000, [&](size_t) { return text; }))), "") << text;
    EXPECT_THAT(refusal(shader("", literals + many(10'000, [&](size_t) { return text; }))), HasSubstr(kTooOften))
        << text;
  }
}

TEST(ConstantLookups, OfABuffersElements) {
  const auto copy = [](const std::string& count) {
    return shader("layout(std430, set = 0, binding = 1) buffer C { uint[" + count + "] c; };",
                  "uint[" + count + "] v = c; u[0] = v[1];");
  };
  EXPECT_EQ(refusal(copy("5000")), "");
  EXPECT_THAT(refusal(copy("30000")), HasSubstr(kTooOften));
}

TEST(ConstantLookups, OfTypes) {
  const auto members = [](size_t count) {
    return "struct S {" +
           many(count, [](size_t k) { return "uint a" + std::to_string(k) + "[" + std::to_string(k + 1) + "];"; }) +
           "}; layout(std430, set = 0, binding = 1) buffer C { S c; };";
  };
  const auto uses = [](size_t count, const std::string& name) {
    return many(count, [&](size_t) { return "c." + name + "[u[0]] = 1u;"; });
  };
  EXPECT_EQ(refusal(shader(members(2000), uses(3000, "a3"))), "");
  EXPECT_THAT(
      refusal(shader(members(2000), many(2000, [](size_t k) { return "c.a" + std::to_string(k) + "[0] = 1u;"; }) +
                                        uses(20'000, "a1999"))),
      HasSubstr(kTooOften));
}

TEST(Memory, OfATextIsBounded) {
  const auto calls = [](size_t count) {
    return shader("vec4 f(vec4 a, mat4 b) { return b * a; }", many(count, [](size_t) {
                    return "f(vec4(1.0), mat4(vec4(1.0), vec4(0.0), vec4(0.0), vec4(0.0)));\n";
                  }));
  };
  EXPECT_EQ(refusal(calls(12'000)), "");
  EXPECT_THAT(refusal(calls(24'000)), HasSubstr("takes too much memory"));
}

}  // namespace
}  // namespace kem::spirv
