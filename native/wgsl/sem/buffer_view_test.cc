// Spec "Buffer Types" and "Buffer View Built-in Functions": the shader-creation rules.
#include "wgsl/sem/resolve_testing.h"

namespace kem::wgsl::sem::testing {
namespace {

constexpr const char* kDeclarations = R"(
@group(0) @binding(0) var<storage, read_write> b: buffer;
@group(0) @binding(1) var<storage> s: buffer<64>;
@group(0) @binding(2) var<uniform> u: buffer<128>;
var<workgroup> w: buffer<32>;
struct S { a: u32, b: vec3f }
struct T { n: u32, list: array<vec2u> }
struct A { n: atomic<u32> }
override o = 4;
fn f(i: u32, k: i32) { )";

void check_bodies(std::initializer_list<Case> cases, const Options& options = all_features()) {
  for (const Case& c : cases) {
    const std::string source = kDeclarations + std::string(c.source) + " }";
    check({{source.c_str(), c.error}}, options);
  }
}

TEST(BufferTypes, WhereTheyMayStand) {
  check({
      {"requires buffer_view; @group(0) @binding(0) var<storage> a: buffer;"},
      {"@group(0) @binding(0) var<uniform> a: buffer<16>;"},
      {"override n = 4u; var<workgroup> a: buffer<n * 4>;"},
      {"alias B = buffer; fn f(p: ptr<storage, B>) {}"},
      {"fn f(p: ptr<workgroup, buffer<4>>) {}"},
      {"fn f() { let buffer = 1; _ = buffer; }"},
      {"@group(0) @binding(0) var<uniform> a: buffer;", "type 'buffer' is not constructible"},
      {"var<workgroup> a: buffer;", "has no fixed size"},
      {"var<private> a: buffer<4>;", "is not constructible"},
      {"fn f() { var a: buffer<4>; }", "is not constructible"},
      {"struct S { a: buffer<4> }", "type 'buffer<4>' cannot be"},
      {"var<workgroup> a: array<buffer<4>, 2>;", "type 'buffer<4>' cannot be"},
      {"fn f(a: buffer<4>) {}", "a parameter cannot be of type"},
      {"fn f() -> buffer<4> { }", "must be constructible"},
      {"@group(0) @binding(0) var<storage> a: buffer<0>;", "must be greater than zero"},
      {"@group(0) @binding(0) var<storage> a: buffer<-4>;", "must be greater than zero"},
      {"@group(0) @binding(0) var<storage> a: buffer<4.0>;", "must be i32 or u32"},
      {"@group(0) @binding(0) var<storage> a: buffer<4, 4>;", "needs 1 template argument"},
      {"var<private> n = 4; @group(0) @binding(0) var<storage> a: buffer<n>;", "the size of a buffer"},
  });
}

TEST(BufferViews, Accepted) {
  check_bodies({
      {"_ = *bufferView<u32>(&b, 4);"},
      {"*bufferView<vec4f>(&b, i) = vec4f();"},
      {"let p = bufferView<S>(&s, k); _ = p.b.x + (*p).b.y;"},
      {"_ = bufferView<array<S, 2>>(&s, 0)[i].a;"},
      {"_ = bufferView<array<u32>>(&s, 60)[i]; _ = arrayLength(bufferView<array<u32>>(&u, 0));"},
      {"_ = *bufferView<u32>(&w, o); let q = &w; _ = *bufferView<u32>(q, 28);"},
      {"let t = bufferArrayView<T>(&b, 8, 24); t.list[i] = vec2u(); _ = arrayLength(&t.list);"},
      {"_ = bufferLength(&b) + bufferLength(&s) + bufferLength(&u) + bufferLength(&w);"},
      {"_ = bufferArrayView<array<u32>>(&s, i, i)[0];"},
      {"for (var n = 0u; n < workgroupUniformLoad(bufferView<u32>(&w, 0)); n++) {}"},
  });
}

TEST(BufferViews, Refused) {
  check_bodies({
      {"bufferView<u32>(&b, 0);", "bufferView"},
      {"_ = bufferView(&b, 0);", "needs 1 template argument"},
      {"_ = *bufferView<u32>(b, 0);", "cannot load a value of type 'buffer'"},
      {"let p = bufferView<u32>(&b, 0); _ = *bufferView<u32>(p, 0);", "takes a pointer to a buffer"},
      {"_ = *bufferView<u32>(&b);", "bufferView"},
      {"_ = *bufferView<u32>(&b, 1.0);", "argument 2 of 'bufferView' must be i32 or u32"},
      {"_ = *bufferView<bool>(&b, 0);", "type 'bool' is not host-shareable"},
      {"_ = bufferView<A>(&b, 0);", "type 'A' contains an atomic"},
      {"_ = bufferView<buffer<4>>(&b, 0);", "a view cannot be a buffer itself"},
      {"*bufferView<u32>(&s, 0) = 1;", "with access mode 'read'"},
      {"_ = *bufferView<u32>(&b, -4);", "the offset is -4"},
      {"_ = *bufferView<u32>(&b, 6);", "the offset 6 is not a multiple of 4, the alignment of 'u32'"},
      {"_ = *bufferView<vec4f>(&b, 8);", "is not a multiple of 16"},
      {"_ = *bufferView<u32>(&s, 64);", "a view of type 'u32' ends at byte 68, the buffer has 64"},
      {"_ = *bufferView<array<u32, 17>>(&s, i);", "ends at byte 68, the buffer has 64"},
      {"_ = bufferView<T>(&w, 24)[0];", "ends at byte 40, the buffer has 32"},
      {"_ = bufferArrayView<array<u32, 4>>(&b, 0, 16)[0];", "is for runtime-sized arrays"},
      {"_ = bufferArrayView<array<u32>>(&b, 0, 6)[0];", "is not a whole number of elements of 4 bytes"},
      {"_ = bufferArrayView<array<vec4u>>(&b, 0, 8)[0];", "takes at least 16 bytes, its size is 8"},
      {"_ = bufferArrayView<array<u32>>(&s, 32, 40)[0];", "ends at byte 72, the buffer has 64"},
      {"_ = bufferArrayView<array<u32>>(&b, 0, -4)[0];", "the size is -4"},
      {"_ = bufferLength(4);", "'bufferLength' takes a pointer to a buffer"},
      {"_ = b;", "cannot load a value of type 'buffer'"},
      {"if *bufferView<u32>(&b, 0) > 3 { workgroupBarrier(); }", "'workgroupBarrier' must only be called"},
      {"let p = bufferView<u32>(&w, 0); if *p > 3 { workgroupBarrier(); }", "'workgroupBarrier' must only be called"},
  });
  check({{"fn f() { _ = bufferLength(); }", "1 argument"}});
}

TEST(BufferViews, UniformLayout) {
  Options strict = all_features();
  strict.features.uniform_standard_layout = false;
  check_bodies({{"_ = bufferView<array<vec4u>>(&u, 16)[i];"}, {"_ = bufferView<vec2u>(&u, 8).x;"}}, strict);
  check_bodies({{"_ = bufferView<array<u32>>(&u, 0)[i];", "are 4 bytes apart"},
                {"_ = bufferView<S>(&u, 8).a;", "is not a multiple of 16"}},
               strict);
}

// Spec "Conversion Rank": pointers to buffers as arguments of functions.
TEST(BufferTypes, Arguments) {
  check({
      {"@group(0) @binding(0) var<storage> a: buffer<64>; fn g(p: ptr<storage, buffer>) {} fn f() { g(&a); }"},
      {"@group(0) @binding(0) var<storage> a: buffer<64>; fn g(p: ptr<storage, buffer<32>>) {} fn f() { g(&a); }"},
      {"@group(0) @binding(0) var<storage> a: buffer<64>; fn h(p: ptr<storage, buffer<8>>) {} "
       "fn g(p: ptr<storage, buffer<32>>) { h(p); } fn f() { g(&a); }"},
      {"@group(0) @binding(0) var<storage, read_write> a: buffer<64>; "
       "fn g(p: ptr<storage, u32, read_write>) { *p = 1; } fn f() { g(bufferView<u32>(&a, 0)); }"},
      {"@group(0) @binding(0) var<storage> a: buffer<16>; fn g(p: ptr<storage, buffer<32>>) {} fn f() { g(&a); }",
       "expected 'ptr<storage, buffer<32>, read>', found 'ptr<storage, buffer<16>, read>'"},
      {"@group(0) @binding(0) var<storage> a: buffer; fn g(p: ptr<storage, buffer<32>>) {} fn f() { g(&a); }",
       "expected 'ptr<storage, buffer<32>, read>'"},
      {"@group(0) @binding(0) var<storage> a: buffer<16>; fn f() { let p: ptr<storage, buffer> = &a; }",
       "cannot initialize"},
      {"@group(0) @binding(0) var<storage, read_write> a: buffer<16>; fn g(p: ptr<storage, u32, read_write>, "
       "q: ptr<storage, u32, read_write>) { *p = *q; } fn f() { g(bufferView<u32>(&a, 0), bufferView<u32>(&a, 4)); }",
       "alias"},
  });
}

TEST(BufferViews, AreALanguageExtension) {
  Options first = all_features();
  first.language_extensions = LanguageExtensions::First;
  check({{"@group(0) @binding(0) var<storage> a: buffer;",
          "type 'buffer' needs language extension 'buffer_view', which is switched off"},
         {"fn f() { _ = bufferLength(1); }", "'buffer_view'"}},
        first);
}

}  // namespace
}  // namespace kem::wgsl::sem::testing
