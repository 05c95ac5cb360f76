// Spec "Declaration and Scope", "Variable and Value Declarations", "Types", "Memory Layout", "Directives".
#include "wgsl/sem/resolve_testing.h"

namespace kem::wgsl::sem::testing {
namespace {

TEST(ResolveDeclaration, Scope) {
  check({
      {"fn f() { g(); } fn g() {}"},
      {"const a = b + 1; const b = 2; const_assert a == 3;"},
      {"fn f(foo: f32) { var bar: u32; { var foo: f32; var bar: u32; } }"},
      {"fn f(f: i32) -> i32 { return f; }"},
      {"fn min() -> u32 { return 0; } fn f() { let x = min(); }"},
      {"const rgba8unorm = 12; const x: i32 = rgba8unorm;"},
      {"fn f() { let x = 1; { let y = x; let x = 2.0; let z: f32 = x; } }"},
      {"fn f() { let vec2 = 1; let x = vec2 + 1; }"},
      {"fn f() { let a = a; }", "unresolved identifier 'a'"},
      {"const a = 1; fn f() { let a = a; let b: i32 = a; }"},
      {"fn f() { { let x = 1; } let y = x; }", "unresolved identifier 'x'"},
      {"fn f(a: i32) { var a: f32; }", "redeclaration of 'a'"},
      {"fn f(a: i32, a: i32) {}", "redeclaration of 'a'"},
      {"fn f() { var a: i32; let a = 1; }", "redeclaration of 'a'"},
      {"fn f() { for (var i = 0; i < 2; i++) { let j = i; { var i = 1; } } }"},
      {"fn f() {} fn f() {}", "redeclaration of 'f'"},
      {"struct S { a: i32 } const S = 1;", "redeclaration of 'S'"},
      {"var<private> counter: i32; fn f() { countr = 1; }", "did you mean 'counter'?"},
      {"fn f() { let x = minn(1, 2); }", "did you mean 'min'?"},
      {"const a = a;", "cyclic declaration of 'a'"},
      {"const a = b; const b = c; const c = a;", "cyclic declaration"},
      {"fn f() { g(); } fn g() { f(); }", "cyclic declaration"},
      {"fn f() { f(); }", "cyclic declaration of 'f'"},
      {"struct S { s: S }", "cyclic declaration of 'S'"},
      {"struct S { a: array<T, 2> } struct T { s: S }", "cyclic declaration"},
      {"alias A = B; alias B = A;", "cyclic declaration"},
      {"override a = b; override b = a;", "cyclic declaration"},
      {"var<workgroup> a: array<i32, n>; const n = 4; fn f() { a[0] = 1; }"},
  });
}

TEST(ResolveDeclaration, OneErrorDoesNotCascade) {
  const Compilation c =
      compile("const a = missing; const b = a + 1; fn f() { let c = b * 2; let d = f32(c); g(d); } fn g(x: f32) {}",
              all_features());
  EXPECT_EQ(c.diagnostics.find("error"), c.diagnostics.rfind("error")) << c.diagnostics;
}

TEST(ResolveDeclaration, SeveralErrorsAreReported) {
  const Compilation c = compile("const a: i32 = 1.5; fn f() { let b: bool = 1; let c = nothing; }", all_features());
  EXPECT_NE(c.diagnostics.find("cannot initialize 'a'"), std::string::npos) << c.diagnostics;
  EXPECT_NE(c.diagnostics.find("cannot initialize 'b'"), std::string::npos) << c.diagnostics;
  EXPECT_NE(c.diagnostics.find("unresolved identifier 'nothing'"), std::string::npos) << c.diagnostics;
}

TEST(ResolveDeclaration, Const) {
  check({
      {"const a = 4; const b: i32 = 4; const c: u32 = 4; const d: f32 = 4; const e = vec3(a, a, a); const f = 2.0; "
       "const g = mat2x2(a, f, a, f); const h = array(a, f, a, f);"},
      {"const minint = -2147483648; fn f() { let x: i32 = minint; }"},
      {"fn f() { const a = 1; const b: u32 = a; var x: array<i32, a + 1>; }"},
      {"struct S { a: i32, b: array<u32, 2> } const s = S(1, array(1, 2)); const_assert s.b[1] == 2;"},
      {"const a: u32 = 1i;", "cannot initialize 'a' of type 'u32' with a value of type 'i32'"},
      {"const a: u32 = -1;", "-1"},
      {"const a: i32 = 2147483648;", "2147483648"},
      {"override o = 1; const a = o;", "must be a const-expression"},
      {"fn f() { let x = 1; const a = x; }", "must be a const-expression"},
      {"fn g() -> i32 { return 1; } const a = g();", "cannot be called at module scope"},
      {"const a: array<atomic<u32>, 2> = array<atomic<u32>, 2>();", "cannot be constructed"},
      {"const a = vec2;", "cannot use type-generator 'vec2' as a value"},
      {"const a: ptr<private, i32> = 1;", "cannot initialize"},
  });
}

TEST(ResolveDeclaration, Override) {
  check({
      {"@id(0) override a: bool = true; @id(1200) override b: f32 = 2.3; override c: f32; override d = 2 * c;"},
      {"override a = 1u; override b = vec2(a, a).x;"},
      {"override a: f16 = 1.0h;", "f16"},
      {"enable f16; override a: f16 = 1.0h;"},
      {"override a = vec2(1, 2);", "must be a scalar"},
      {"override a: array<i32, 2>;", "must be a scalar"},
      {"override a;", "needs a type or an initializer"},
      {"@id(1) override a = 1; @id(1) override b = 2;", "override id 1 is used twice"},
      {"@id(65536) override a = 1;", "from 0 to 65535"},
      {"@id(-1) override a = 1;", "from 0 to 65535"},
      {"@id(1) const a = 1;", "attributes are not allowed on a 'const' declaration"},
      {"fn f() { override a = 1; }", "expected '}' or a statement, found 'override'"},
      {"override a: i32 = 0; override b = a / 0;", "integer division by zero"},
      {"override a: u32 = 1; override b = 1 / a;"},
      {"var<private> p = 1; override a = p;", "must be a const-expression or override-expression"},
      {"override n = 4; @compute @workgroup_size(n, n * 2) fn main() {}"},
  });
}

TEST(ResolveDeclaration, Let) {
  check({
      {"fn f() { let a: i32 = 1024; let b = 16u; let c = vec2(1, 2.0); let d: vec2f = c; }"},
      {"fn f() { var x: i32; let p = &x; let q: ptr<function, i32> = p; *q = 1; }"},
      {"@group(0) @binding(0) var t: texture_2d<f32>; fn f() { let u = t; }"},
      {"let a = 1;", "'let' only declares within functions: at module scope write 'const' or 'override'"},
      {"fn f() { let a: i32 = 1u; }", "cannot initialize 'a'"},
      {"fn f() { let a: i32; }", "expected '=' and a value for 'a', found ';'"},
      {"var<workgroup> a: atomic<u32>; fn f() { let b = a; }", "cannot load a value of type 'atomic<u32>'"},
      {"@group(0) @binding(0) var<storage> a: array<u32>; fn f() { let b = a; }", "cannot load"},
      {"fn f() { let a = 5000000000; }", "5000000000"},
  });
}

TEST(ResolveDeclaration, VarAddressSpaces) {
  check({
      {"var<private> a: i32; var<workgroup> b: array<atomic<u32>, 4>; @group(0) @binding(0) var<uniform> c: vec4f; "
       "@group(0) @binding(1) var<storage> d: array<u32>; @group(0) @binding(2) var<storage, read_write> e: "
       "atomic<u32>; "
       "@group(0) @binding(3) var t: texture_2d<f32>; @group(0) @binding(4) var s: sampler;"},
      {"fn f() { var<function> a: u32; var b = 1.5; var c: i32 = 2; }"},
      {"override o = 2; var<private> a: i32 = o * 2;"},
      {"const read_write = 1; @group(0) @binding(0) var<storage, read_write> a: u32;", "as an access mode"},
      {"var a: i32;", "needs an address space"},
      {"var<function> a: i32;", "cannot be in address space 'function'"},
      {"var<nothing> a: i32;", "unresolved identifier 'nothing'"},
      {"var<i32> a: i32;", "as an address space"},
      {"var<private, read> a: i32;", "may specify an access mode"},
      {"fn f() { var<private> a: i32; }", "are in address space 'function'"},
      {"fn f() { var<workgroup> a: i32; }", "are in address space 'function'"},
      {"@group(0) @binding(0) var<storage, write> a: u32;", "supports access modes"},
      {"var<workgroup> a: i32 = 1;", "cannot have an initializer"},
      {"@group(0) @binding(0) var<uniform> a: i32 = 1;", "cannot have an initializer"},
      {"@group(0) @binding(0) var<storage> a: bool;", "not host-shareable"},
      {"@group(0) @binding(0) var<uniform> a: array<u32>;", "not constructible"},
      {"@group(0) @binding(0) var<uniform> a: atomic<u32>;", "not constructible"},
      {"@group(0) @binding(0) var<storage> a: atomic<u32>;", "need access mode 'read_write'"},
      {"@group(0) @binding(0) var<storage> a: ptr<private, i32>;", "cannot be stored"},
      {"var<private> a: array<u32>;", "not constructible"},
      {"var<private> a: atomic<u32>;", "not constructible"},
      {"var<workgroup> a: array<u32>;", "no fixed size"},
      {"fn f() { var a: atomic<i32>; }", "not constructible"},
      {"override n = 4; var<private> a: array<u32, n>;", "not constructible"},
      {"override n = 4; var<workgroup> a: array<array<u32, n>, 2>;", "cannot be the element type"},
      {"override n = 4; var<workgroup> a: array<u32, n>; fn f() { a[1] = 1; }"},
      {"override n = 4; var<workgroup> a: array<u32, n>; var<workgroup> b: array<u32, n>; fn f() { g(&a); g(&b); } "
       "fn g(p: ptr<workgroup, array<u32, n>>) {}"},
      {"override n = 4; var<workgroup> a: array<u32, n + 1>; fn f() { g(&a); } fn g(p: ptr<workgroup, array<u32, n>>) "
       "{}",
       "argument 1 of 'g'"},
      {"fn g() -> i32 { return 1; } var<private> a: i32 = g();", "cannot be called at module scope"},
      {"var<private> a: i32; var<private> b: i32 = a;", "must be a const-expression or override-expression"},
      {"@group(0) @binding(0) var<private> t: texture_2d<f32>;", "do not specify an address space"},
      {"fn f() { var t: texture_2d<f32>; }", "not constructible"},
  });
}

TEST(ResolveDeclaration, Resources) {
  check({
      {"@group(0u) @binding(1 + 1) var<storage> a: u32;"},
      {"const g = 3; @group(g) @binding(g) var<storage> a: u32;"},
      {"@group(0) var<storage> a: u32;", "needs '@binding'"},
      {"@binding(0) var<uniform> a: u32;", "needs '@group'"},
      {"var<storage> a: u32;", "needs '@group' and '@binding'"},
      {"@group(0) @binding(0) var<private> a: u32;", "are for resources"},
      {"@group(-1) @binding(0) var<storage> a: u32;", "at least 0"},
      {"@group(0.5) @binding(0) var<storage> a: u32;", "must be i32 or u32"},
      {"override o = 1; @group(o) @binding(0) var<storage> a: u32;", "must be a const-expression"},
      {"@group(0) @group(0) @binding(0) var<storage> a: u32;", "given twice"},
      {"@group(0) @binding(0) var<storage> a: u32; @group(0) @binding(0) var<storage> b: u32; "
       "@compute @workgroup_size(1) fn main() { _ = a + b; }",
       "uses two resources at '@group(0) @binding(0)'"},
      {"@group(0) @binding(0) var<storage> a: u32; @group(0) @binding(0) var<storage> b: u32; "
       "@compute @workgroup_size(1) fn m() { _ = a; } @compute @workgroup_size(1) fn n() { g(); } fn g() { _ = b; }"},
  });
}

TEST(ResolveDeclaration, Struct) {
  check({
      {"struct S { a: f32, b: array<u32> } @group(0) @binding(0) var<storage> s: S;"},
      {"struct S { @size(16) a: f32, @align(16) b: u32 }"},
      {"struct S { a: array<u32>, b: u32 }", "must be the last member"},
      {"struct S { a: u32, a: u32 }", "two members 'a'"},
      {"struct S { }", "structure 'S' has no members: it needs one at least"},
      {"struct S { a: ptr<private, i32> }", "cannot be the type of a structure member"},
      {"struct S { a: texture_2d<f32> }", "cannot be the type of a structure member"},
      {"struct S { a: sampler }", "cannot be the type of a structure member"},
      {"struct R { a: array<u32> } struct S { r: R }", "cannot be the type of a structure member"},
      {"override n = 2; struct S { a: array<u32, n> }", "cannot be the type of a structure member"},
      {"struct S { @size(2) a: f32 }", "must be at least 4"},
      {"struct S { @size(8) a: array<u32> }", "known at shader creation"},
      {"struct S { @align(2) a: f32 }", "multiple of 4"},
      {"struct S { @align(12) a: f32 }", "power of two"},
      {"struct S { @align(8) a: vec4f }", "multiple of 16"},
      {"struct S { @align(0) a: f32 }", "at least 1"},
      {"struct S { @align(4i) @size(4u) a: f32 }"},
      {"struct S { @size(4.0) a: f32 }", "must be i32 or u32"},
      {"@size(4) struct S { a: f32 }", "attributes are not allowed on a structure"},
      {"struct S { a: i32 } const s = S(1); const t = s.b;", "has no member 'b'"},
      {"struct S { alpha: i32 } const s = S(1); const t = s.alhpa;", "did you mean 'alpha'?"},
      {"struct S { @id(1) a: i32 }", "not allowed on a structure member"},
  });
}

TEST(ResolveDeclaration, Alias) {
  check({
      {"alias A = array<i32, 5>; alias single = f32; const pi: single = 3.1; fn f() -> single { return single(2) * pi; "
       "}"},
      {"alias V = vec3<f32>; const v = V(1, 2, 3); const w = V();"},
      {"struct S { a: i32 } alias T = S; const t = T(1); const a = t.a;"},
      {"alias A = vec2;", "needs template arguments"},
      {"alias A = 1;", "expected a type, found '1'"},
      {"alias A = i32; var<private> a: A<i32>;", "does not take template arguments"},
      {"const c = 1; alias A = c;", "cannot use const 'c' as a type"},
      {"fn f() { alias A = i32; }", "expected '}' or a statement, found 'alias'"},
  });
}

TEST(ResolveDeclaration, Types) {
  check({
      {"var<private> a: vec3<f32>; var<private> b: mat4x3<f32>; var<private> c: array<vec2<bool>, 3>; var<private> d: "
       "vec4u;"},
      {"const n = 8; var<private> a: array<f32, n>; fn f() { var b: array<f32, 8u>; b = a; }"},
      {"var<private> a: vec5<f32>;", "unresolved identifier 'vec5'"},
      {"var<private> a: vec3;", "needs template arguments"},
      {"var<private> a: vec3<array<i32, 2>>;", "vector components"},
      {"var<private> a: mat2x2<i32>;", "matrix components"},
      {"var<private> a: vec3<i32, i32>;", "needs 1 template argument"},
      {"var<private> a: array<i32, 0>;", "greater than zero"},
      {"var<private> a: array<i32, -1>;", "greater than zero"},
      {"var<private> a: array<i32, 1.0>;", "must be i32 or u32"},
      {"var<private> a: array<i32, true>;", "must be i32 or u32"},
      {"var<private> a: array<i32, 1, 2>;", "needs 1 or 2 template arguments"},
      {"var<private> a: array;", "needs template arguments"},
      {"fn f() { let n = 2; var a: array<i32, n>; }", "must be a const-expression or override-expression"},
      {"var<workgroup> a: atomic<f32>;", "holds i32 or u32"},
      {"var<private> a: array<array<i32>, 2>;", "cannot be the element type"},
      {"var<private> a: f16;", "needs 'enable f16;'"},
      {"var<private> a: vec2h;", "needs 'enable f16;'"},
      {"enable f16; var<private> a: vec2h; var<private> b: mat2x2<f16>; const c = 1.0h;"},
      {"const c = 1.0h;", "needs 'enable f16;'"},
      {"fn f(p: ptr<function, i32>) {}"},
      {"fn f(p: ptr<storage, array<u32>, read_write>) {}"},
      {"fn f(p: ptr<function, i32, read_write>) {}", "may specify an access mode"},
      {"fn f(p: ptr<storage, u32, write>) {}", "supports access modes"},
      {"fn f(p: ptr<private, atomic<u32>>) {}", "not constructible"},
      {"fn f(p: ptr<storage, atomic<u32>>) {}", "need access mode 'read_write'"},
      {"fn f(p: ptr<uniform, bool>) {}", "not host-shareable"},
      {"fn f(p: ptr<function, ptr<function, i32>>) {}", "cannot be stored"},
      {"fn f(p: ptr<i32>) {}", "needs 2 or 3 template arguments"},
      {"@group(0) @binding(0) var t: texture_storage_2d<rgba8unorm, write>;"},
      {"@group(0) @binding(0) var t: texture_storage_2d<r8unorm, read>;"},
      {"@group(0) @binding(0) var t: texture_storage_2d<rgba8, write>;", "unresolved identifier 'rgba8'"},
      {"@group(0) @binding(0) var t: texture_storage_2d<write, rgba8unorm>;", "as a texel format"},
      {"@group(0) @binding(0) var t: texture_2d<f16>;", "f16"},
      {"@group(0) @binding(0) var t: texture_2d<bool>;", "sampled textures hold"},
  });
}

TEST(ResolveDeclaration, Directives) {
  Options none;
  check({{"enable f16;", "not available on this device"}, {"enable subgroups;", "not available on this device"}}, none);
  check({
      {"enable f16, subgroups;"},
      {"enable f61;", "did you mean 'f16'?"},
      {"enable clip_distances;", "not available on this device"},
      {"requires pointer_composite_access, unrestricted_pointer_parameters;"},
      {"requires pointer_composite_acces;", "did you mean 'pointer_composite_access'?"},
      {"requires f16;", "use 'enable'"},
      {"enable linear_indexing;", "use 'requires'"},
      {"requires buffer_view;"},
      {"diagnostic(off, derivative_uniformity);"},
      {"diagnostic(off, vendor.rule);"},
      {"diagnostic(offf, derivative_uniformity);", "did you mean 'off'?"},
      {"diagnostic(off, derivative_uniformity); diagnostic(error, derivative_uniformity);", "conflict"},
      {"diagnostic(off, derivative_uniformity); diagnostic(off, derivative_uniformity);"},
      {"@diagnostic(off, derivative_uniformity) @diagnostic(info, derivative_uniformity) fn f() {}",
       "diagnostic filters for rule 'derivative_uniformity' conflict: off and info"},
      {"fn f() { @diagnostic(off, derivative_uniformity) if true { } @diagnostic(off, derivative_uniformity) { } }"},
      // A body's range is not its statement's.
      {"fn f() { @diagnostic(off, derivative_uniformity) switch 0 @diagnostic(info, derivative_uniformity) "
       "{ default { } } }"},
      {"fn f() { @diagnostic(off, derivative_uniformity) loop @diagnostic(info, derivative_uniformity) { break; } }"},
      {"fn f() { loop @diagnostic(off, derivative_uniformity) @diagnostic(info, derivative_uniformity) { break; } }",
       "conflict"},
  });
  const Compilation unknown = compile("diagnostic(off, derivative_uniformty);", all_features());
  EXPECT_TRUE(unknown.program.has_value());
  EXPECT_NE(unknown.diagnostics.find("warning"), std::string::npos);
}

TEST(ResolveDeclaration, Limits) {
  Options small = all_features();
  small.limits.struct_members = 2;
  small.limits.composite_depth = 3;
  small.limits.function_parameters = 2;
  small.limits.switch_selectors = 2;
  small.limits.array_constructor_elements = 2;
  small.limits.private_bytes = 8;
  small.limits.function_bytes = 8;
  check(
      {
          {"struct S { a: i32, b: i32 } fn f(a: i32, b: i32) { switch a { case 1 { } default { } } }"},
          {"struct S { a: i32, b: i32, c: i32 }", "3 members, the limit is 2"},
          {"var<private> a: array<array<vec2f, 1>, 1>;"},
          {"alias A = array<array<array<vec2f, 2>, 2>, 2>;", "nests 4 levels deep, the limit is 3"},
          {"fn f(a: i32, b: i32, c: i32) {}", "3 parameters, the limit is 2"},
          {"fn f(a: i32) { switch a { case 1, 2 { } default { } } }", "3 selectors, the limit is 2"},
          {"const a = array(1, 2, 3);", "3 elements, the limit is 2"},
          {"var<private> a: vec3f; fn f() { a = vec3f(); }"},
          {"var<private> a: vec3f; @compute @workgroup_size(1) fn f() { a = vec3f(); }",
           "take 12 bytes, the limit is 8"},
          {"fn f() { var a: vec3f; }", "take 12 bytes, the limit is 8"},
      },
      small);
}

// Spec "Address Space Layout Constraints".
TEST(ResolveDeclaration, UniformLayout) {
  check({
      {"@group(0) @binding(0) var<uniform> a: array<u32, 4>;"},
      {"requires uniform_buffer_standard_layout; struct S { x: f32 } struct T { a: S, b: f32 } @group(0) @binding(0) "
       "var<uniform> t: T;"},
  });
  Options strict = all_features();
  strict.features.uniform_standard_layout = false;
  check(
      {
          {"@group(0) @binding(0) var<uniform> a: array<vec3f, 4>; @group(0) @binding(1) var<storage> b: array<u32, "
           "4>;"},
          {"struct S { x: f32 } struct T { a: S, @align(16) b: f32 } @group(0) @binding(0) var<uniform> t: T;"},
          {"struct W { @size(16) e: f32 } struct B { a: array<W, 8> } @group(0) @binding(0) var<uniform> b: B;"},
          {"requires uniform_buffer_standard_layout;", "not available on this device"},
          {"@group(0) @binding(0) var<uniform> a: array<u32, 4>;", "are 4 bytes apart"},
          {"struct S { x: f32 } struct T { a: S, b: f32 } @group(0) @binding(0) var<uniform> t: T;",
           "must be at least 16 bytes after"},
          {"struct S { x: f32 } struct T { a: f32, b: S } @group(0) @binding(0) var<uniform> t: T;", "is at offset 4"},
          {"struct S { a: array<f32, 8> } @group(0) @binding(0) var<uniform> s: S;", "are 4 bytes apart"},
      },
      strict);
}

TEST(ResolveDeclaration, Hostile) {
  std::string chain;
  for (int i = 0; i < 20000; i++) chain += "const a" + std::to_string(i) + " = a" + std::to_string(i + 1) + ";\n";
  EXPECT_TRUE(compile(chain + "const a20000 = 1;", all_features()).program.has_value());
  std::string sum = "const a = 1";
  for (int i = 0; i < 100000; i++) sum += "+1";
  EXPECT_FALSE(compile(sum + ";", all_features()).program.has_value());
  std::string wide = "struct S0 { a: u32 }\n";
  for (int i = 1; i < 15; i++) {
    wide += "struct S" + std::to_string(i) + " {";
    for (int j = 0; j < 40; j++) wide += "m" + std::to_string(j) + ": S" + std::to_string(i - 1) + ", ";
    wide += "}\n";
  }
  EXPECT_FALSE(compile(wide, all_features()).program.has_value());
}

}  // namespace
}  // namespace kem::wgsl::sem::testing
