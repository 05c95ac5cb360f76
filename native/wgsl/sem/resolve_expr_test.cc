// Spec "Expressions", "Overload Resolution", "Constructor Built-in Functions", "Built-in Functions".
#include "wgsl/sem/resolve_testing.h"

namespace kem::wgsl::sem::testing {
namespace {

TEST(ResolveExpression, AbstractConversions) {
  check({
      {"const a = 1 + 2.5; const_assert a == 3.5; const b = log2(32); const_assert b == 5;"},
      {"fn f() { let x = 1 + 2.5; let y: f32 = x; }"},
      {"const a = 1u + 2.5;", "no matching overload for 'u32 + abstract-float'"},
      {"const a = -1 * i32(-2147483648);"},
      {"fn f(x: u32) { let y = 1 + x; let z: u32 = y; }"},
      {"fn f(x: f32) { let y = 1 / x; let z: f32 = y; }"},
      {"fn f(x: i32) { let y = 1.5 * x; }", "no matching overload for 'abstract-float * i32'"},
      {"fn f(x: i32, y: u32) { let z = x + y; }", "this is 'u32': convert one of them, as in 'i32(...)'"},
      {"fn f(x: vec2f, y: vec3f) { let z = x + y; }", "candidate: "},
      {"fn f(x: u32) { let y = x + -1; }", "-1"},
      {"fn f(b: bool) { let y = select(1, 2, b); let z: i32 = y; }"},
      {"fn f(b: bool) { let y = select(1, 2.0, b); let z: f32 = y; }"},
      {"fn f(v: vec3f) { let w = v * 2; let x = 2 * v; let y = v + 1; }"},
      {"const a = array(1, 2.0, 3); const_assert a[1] == 2; fn f(i: u32) { let x: f32 = a[i]; }"},
      {"fn f(i: u32) { let x: i32 = vec3(1, 2, 3)[i]; let y: vec2f = mat2x2(1, 2, 3, 4)[i]; }"},
      {"const a: f32 = 1e40;", "value 1e+40 cannot be represented as 'f32'"},
      {"const a = 1 << 2; const b: u32 = 1u << 31;"},
      {"const a = max(1, 2.0); const b = clamp(1, 0u, 5); const c: u32 = b;"},
      {"const x = frexp(1.5).fract; const y: f32 = frexp(1.5).exp + x;"},
      {"fn f() { let r = frexp(1.5); let e: i32 = r.exp; let m = modf(vec2(1.5)); let w: vec2f = m.whole; }"},
      {"const a = ldexp(1.0, 2); fn f(x: f32) { let y: f32 = ldexp(x, 2); }"},
      {"const a = dot(vec3(1, 2, 3), vec3(1)); const_assert a == 6;"},
  });
}

TEST(ResolveExpression, Operators) {
  check({
      {"fn f(m: mat3x2f, v: vec3f, w: vec2f, n: mat2x3f) { let a: vec2f = m * v; let b: vec3f = w * m; let c: mat2x2f "
       "= m * n; "
       "let d: mat3x2f = m + m; let e: mat3x2f = 2 * m; }"},
      {"fn f(m: mat3x2f, v: vec2f) { let a = m * v; }", "no matching overload for 'mat3x2<f32> * vec2<f32>'"},
      {"fn f(m: mat3x2f) { let a = m / m; }", "no matching overload"},
      {"fn f(m: mat3x2f) { let a = -m; }", "no matching overload for '-mat3x2<f32>'"},
      {"fn f(a: u32) { let b = -a; }", "no matching overload for '-u32'"},
      {"fn f(a: f32) { let b = ~a; }", "no matching overload"},
      {"fn f(a: i32) { let b = !a; }", "no matching overload"},
      {"fn f(a: vec2<bool>) { let b: vec2<bool> = !a; let c: vec2<bool> = (a & b) | a; }"},
      {"fn f(a: vec2<bool>) { let b = a && a; }", "no matching overload"},
      {"fn f(a: bool) { let b = a ^ a; }", "no matching overload"},
      {"fn f(a: vec3f) { let b: vec3<bool> = a < a; let c: vec3<bool> = a == a; }"},
      {"fn f(a: bool) { let b = a < a; }", "no matching overload"},
      {"fn f(a: bool) { let b: bool = a == a; }"},
      {"fn f(a: array<i32, 2>) { let b = a == a; }", "no matching overload"},
      {"fn f(a: i32, b: u32) { let c: i32 = a << b; let d: i32 = a >> 3; let e: i32 = a << 31; }"},
      {"fn f(a: i32, b: i32) { let c = a << b; }", "no matching overload for 'i32 << i32'"},
      {"fn f(a: vec2i, b: u32) { let c = a << b; }", "no matching overload"},
      {"fn f(a: i32) { let c = a << 32; }", "shift by 32 bits: 'i32' has 32"},
      {"fn f(a: i32) { let c = a / 0; }", "integer division by zero"},
      {"fn f(a: u32) { let c = a % 0u; }", "integer division by zero"},
      {"const a = 1 / 0;", "integer division by zero"},
      {"const a = 2147483647i + 1i; const_assert a == -2147483648;"},
      {"const a = 2147483647 + 1; const b = 9223372036854775807 + 1;",
       "'9223372036854775807 + 1' overflows 'abstract-int'"},
      {"fn f(a: f32) { let c = a / 0.0; }"},
      {"fn f(a: vec2i) { let c = a / vec2(1, 0); }", "integer division by zero"},
      {"fn f(a: vec3f, b: vec2f) { let c = a + b; }", "no matching overload for 'vec3<f32> + vec2<f32>'"},
  });
}

TEST(ResolveExpression, ShortCircuit) {
  check({
      {"const a = false && (10i < i32(5 * 1000 * 1000 * 1000)); const_assert !a;"},
      {"const a = true || 1 / 0 == 1; const_assert a;"},
      {"const a = false && array<u32, 1 + 2>(0, 1, 2)[0] == 0;"},
      {"const a = true && 1 / 0 == 1;", "integer division by zero"},
      {"const a = false && 1u + 1i == 2;", "no matching overload"},
      {"const a = false && array<u32, 1 - 2>()[0] == 0;", "greater than zero"},
      {"const a = false && missing;", "unresolved identifier 'missing'"},
      {"fn f(x: i32) -> bool { return false && x / 0 == 1; }"},
      {"fn f(x: bool) -> bool { return x && 1 / 0 == 1; }", "integer division by zero"},
  });
}

TEST(ResolveExpression, Indexing) {
  check({
      {"fn f(a: array<i32, 3>, i: i32, u: u32) { let x = a[i] + a[u] + a[2] + a[0u]; }"},
      {"fn f(v: vec3f) { let x = v[2] + v.x + v.rgb.y + v.zyx[1]; }"},
      {"var<private> a: array<array<i32, 2>, 3>; fn f() { a[2][1] = 1; let r = a[0]; }"},
      {"fn f(a: array<i32, 3>) { let x = a[3]; }", "index 3 is out of bounds"},
      {"fn f(a: array<i32, 3>) { let x = a[-1]; }", "index -1 is out of bounds"},
      {"fn f(v: vec2f) { let x = v[2]; }", "index 2 is out of bounds"},
      {"fn f(m: mat2x3f) { let x = m[2]; }", "index 2 is out of bounds"},
      {"@group(0) @binding(0) var<storage> a: array<u32>; fn f() { let x = a[-1]; }", "index -1 is out of bounds"},
      {"@group(0) @binding(0) var<storage> a: array<u32>; fn f() { let x = a[100000]; }"},
      {"fn f(a: array<i32, 3>) { let x = a[1.0]; }", "an index must be i32 or u32"},
      {"fn f(a: array<i32, 3>, b: bool) { let x = a[b]; }", "an index must be i32 or u32"},
      {"fn f(a: i32) { let x = a[0]; }", "cannot index a value of type 'i32'"},
      {"fn f(v: vec2f) { let x = v.z; }", "not a swizzle"},
      {"fn f(v: vec4f) { let x = v.xg; }", "not a swizzle"},
      {"fn f(v: vec4f) { let x = v.xyzwx; }", "not a swizzle"},
      {"fn f(v: i32) { let x = v.x; }", "has no member 'x'"},
      {"const a = vec3(1, 2, 3).zx; const_assert a.y == 1;"},
  });
}

TEST(ResolveExpression, References) {
  check({
      {"fn f() { var a: array<i32, 2>; let p = &a[1]; *p = 2; let q = &*p; (*q)++; }"},
      {"struct S { v: vec3f, n: i32 } fn f() { var s: S; let p = &s; p.v.x = 1; p.n += 1; (*p).n = 2; let w = p.v.xy; "
       "let n = &p.n; }"},
      {"fn f() { var a: array<i32, 4>; let p = &a; p[2] = 1; let m = p[1]; }"},
      {"fn f() { var v: vec3f; let p = &v; p[1] = 2; p.x = 1; }"},
      {"fn f() { let a = 1; let p = &a; }", "cannot take the address of a value"},
      {"fn f() { var v: vec3f; let p = &v.x; }", "cannot take the address of a vector component"},
      {"fn f() { var v: vec3f; let p = &v[1]; }", "cannot take the address of a vector component"},
      {"fn f() { var v: vec3f; let q = &v; let p = &q.x; }", "cannot take the address of a vector component"},
      {"fn f() { var m: mat2x2f; let p = &m[1]; (*p).y = 1; }"},
      {"@group(0) @binding(0) var t: texture_2d<f32>; fn f() { let p = &t; }", "cannot take the address of a texture"},
      {"fn f(x: i32) { let y = *x; }", "cannot dereference"},
      {"fn f() { var a: i32; let p = &a; let q = p + 1; }", "no matching overload"},
      {"fn f(p: ptr<function, i32>) -> i32 { return *p + 1; }"},
  });
}

TEST(ResolveExpression, Calls) {
  check({
      {"fn g(a: i32, b: f32) -> i32 { return a + i32(b); } fn f() { let x = g(1, 2) + g(1, 2.5); }"},
      {"fn g(a: i32) {} fn f() { g(); }", "'g' takes 1 argument, has 0"},
      {"fn g(a: i32) {} fn f() { g(1u); }", "expected 'i32', found 'u32'"},
      {"fn g() {} fn f() { let x = g(); }", "does not return a value"},
      {"fn g() {} fn f() { let x = g; }", "a call needs '()'"},
      {"@compute @workgroup_size(1) fn g() {} fn f() { g(); }", "entry point 'g' cannot be called"},
      {"fn f() { let x = 1; x(); }", "cannot call let 'x'"},
      {"fn f() { read(); }", "cannot call access mode 'read'"},
      {"var<private> a: i32; fn g(p: ptr<private, i32>) {} fn f() { g(&a); }"},
      {"var<workgroup> a: array<i32, 4>; fn g(p: ptr<workgroup, i32>) { *p = 1; } fn f() { g(&a[2]); }"},
      {"fn g(p: ptr<function, f32>) {} fn f() { var a: i32; g(&a); }", "argument 1 of 'g'"},
      {"@group(0) @binding(0) var<storage, read_write> a: u32; fn g(p: ptr<storage, u32>) {} fn f() { g(&a); }",
       "argument 1 of 'g'"},
      {"fn g<i32>() {}", "expected '(' and parameters, found '<'"},
      {"fn g() {} fn f() { g<i32>(); }", "does not take template arguments"},
  });
}

TEST(ResolveExpression, Builtins) {
  check({
      {"fn f(x: f32, v: vec3f) { let a: f32 = sin(x); let b: vec3f = cos(v); let c: f32 = length(v); let d: vec3f = "
       "cross(v, v); "
       "let e: vec3f = mix(v, v, 0.5); let g: f32 = mix(1, 2, x); }"},
      {"fn f(x: i32) { let a = sin(x); }", "no matching overload for 'sin(i32)'"},
      {"fn f(x: f32) { let a = max(x); }", "no matching overload for 'max(f32)'"},
      {"fn f(x: f32, v: vec2f) { let a = max(x, v); }", "no matching overload"},
      {"fn f(v: vec2f) { let a = cross(v, v); }", "no matching overload"},
      {"fn f(x: f32) { sin(x); }", "must be used"},
      {"fn f(x: f32) { _ = sin(x); }"},
      {"fn f(x: u32) { let a: f32 = bitcast<f32>(x); let b: vec2f = bitcast<vec2<f32>>(vec2u(x)); let c = "
       "bitcast<i32>(1.5); }"},
      {"fn f(x: bool) { let a = bitcast<f32>(x); }", "cannot bitcast"},
      {"enable f16; const a: f16 = bitcast<f16>(-1.5); const b = bitcast<vec3h>(vec3(1)); const_assert a == -1.5h;"},
      {"enable f16; const a = bitcast<f16>(65520.0);", "cannot be represented as 'f16'"},
      {"enable f16; const a = bitcast<f16>(1f);", "cannot bitcast 'f32' to 'f16'"},
      {"fn f(x: u32) { let a = bitcast<vec2f>(x); }", "cannot bitcast"},
      {"enable f16; fn f(x: u32) { let a = bitcast<vec2h>(x); let b: u32 = bitcast<u32>(a); let c: vec2f = "
       "bitcast<vec2f>(vec4h()); }"},
      {"fn f(x: u32) { let a = bitcast(x); }", "needs 1 template argument"},
      {"fn f(x: u32) { let a = abs<u32>(x); }", "does not take template arguments"},
      {"@group(0) @binding(0) var<storage> a: array<u32>; fn f() { let n: u32 = arrayLength(&a); }"},
      {"struct S { n: u32, a: array<u32> } @group(0) @binding(0) var<storage> s: S; fn f() { let n = "
       "arrayLength(&s.a); let p = &s; "
       "let m = arrayLength(&p.a); }"},
      {"@group(0) @binding(0) var<storage> a: array<u32, 4>; fn f() { let n = arrayLength(&a); }",
       "runtime-sized array"},
      {"@group(0) @binding(0) var<storage> a: array<u32>; fn f() { let n = arrayLength(a); }", "cannot load"},
      {"var<workgroup> a: atomic<u32>; fn f() { atomicStore(&a, 1); atomicAdd(&a, 2u); let x: u32 = atomicLoad(&a); "
       "let r = atomicCompareExchangeWeak(&a, 1, 2); let o: u32 = r.old_value; let e: bool = r.exchanged; }"},
      {"var<workgroup> a: atomic<u32>; fn f() { atomicAdd(&a, 1i); }", "no matching overload"},
      {"var<workgroup> a: u32; fn f() { atomicAdd(&a, 1); }", "no matching overload"},
      {"var<workgroup> a: atomic<u32>; fn f() { a = 1; }", "cannot assign to memory of type 'atomic<u32>'"},
      {"var<workgroup> a: i32; @compute @workgroup_size(1) fn f() { let x: i32 = workgroupUniformLoad(&a); "
       "workgroupBarrier(); storageBarrier(); }"},
      {"var<workgroup> a: atomic<i32>; @compute @workgroup_size(1) fn f() { let x: i32 = workgroupUniformLoad(&a); }"},
      {"var<private> a: i32; fn f() { let x = workgroupUniformLoad(&a); }",
       "takes a pointer to address space 'workgroup'"},
      {"fn f() { let x = subgroupElect(); }", "needs 'enable subgroups;'"},
      {"enable subgroups; fn f(x: u32) { let a = subgroupAdd(x); let b = subgroupBroadcast(x, 1); let c = "
       "subgroupBallot(true); }"},
      {"enable subgroups; fn f(x: u32) { let b = subgroupBroadcast(x, x); }", "must be a const-expression"},
      {"enable subgroups; fn f(x: u32) { let b = subgroupBroadcast(x, 128); }", "from 0 to 127"},
      {"enable subgroups; fn f(x: bool) { let b = subgroupAdd(x); }", "no matching overload"},
      {"const a = pack4x8snorm(vec4f(1)); const b = unpack2x16float(1); const c = dot4U8Packed(1, 2);"},
      {"const a = extractBits(15u, 30, 3);", "'extractBits': offset 30 and count 3 reach past bit 32"},
      {"fn f(x: u32) { let a = extractBits(x, 30, 3); }", "'extractBits': offset 30 and count 3 reach past bit 32"},
      {"fn f(x: f32) { let a = clamp(x, 2, 1); }", "'clamp': the low bound 2 is greater than the high bound 1"},
      {"const a = sqrt(-1);", "'sqrt(-1)': the argument must be in [0, infinity]"},
      {"@group(0) @binding(0) var t: texture_2d<f32>; @group(0) @binding(1) var s: sampler; @fragment fn f() -> "
       "@location(0) vec4f { "
       "let d: vec2u = textureDimensions(t, 0); let l: vec4f = textureLoad(t, vec2(0, 0), 0); let g = textureGather(1, "
       "t, s, vec2f()); "
       "return textureSample(t, s, vec2(0.5), vec2(1, -1)); }"},
      {"@group(0) @binding(0) var t: texture_2d<f32>; @group(0) @binding(1) var s: sampler; fn f() { _ = "
       "textureGather(4, t, s, vec2f()); }",
       "from 0 to 3"},
      {"@group(0) @binding(0) var t: texture_2d<f32>; @group(0) @binding(1) var s: sampler; fn f() { _ = "
       "textureSample(t, s, vec2(0.5), vec2(8, 0)); }",
       "from -8 to 7"},
      {"@group(0) @binding(0) var t: texture_storage_2d<rgba8uint, write>; fn f() { textureStore(t, vec2(1, 2), "
       "vec4u(1)); }"},
      {"@group(0) @binding(0) var t: texture_storage_2d<rgba8uint, write>; fn f() { textureStore(t, vec2(1, 2), "
       "vec4f(1)); }",
       "no matching overload"},
      {"@group(0) @binding(0) var t: texture_storage_2d<rgba8uint, write>; fn f() { _ = textureLoad(t, vec2(1, 2)); }",
       "no matching overload"},
      {"@group(0) @binding(0) var t: texture_storage_2d<rgba8uint, read>; fn f() { let x: vec4u = textureLoad(t, "
       "vec2(1, 2)); }"},
  });
}

TEST(ResolveExpression, Constructors) {
  check({
      {"const a = vec3(1, 2, 3); const b = vec3f(a); const c = vec4(a, 1.0); const d = vec2(vec2(1, 2)); const e = "
       "vec3<u32>(1, vec2(2, 3)); "
       "const g = vec4(vec2f(), vec2f(1)); const h = vec2(); const i = vec3<bool>(true);"},
      {"fn f(i: vec3i, x: f32) { let a = vec3f(i); let b = vec4(vec2(x), 1, 2); let c: vec4f = vec4(x); let d = "
       "vec3<bool>(i); }"},
      {"const a = vec3(1, 2);", "expected 3 components, found 2"},
      {"const a = vec2(1, 2, 3);", "expected 2 components, found 3"},
      {"const a = vec2(1u, 2i);", "must have one type"},
      {"const a = vec2<f32>(1u, 2);", "must have one type"},
      {"const a = vec2<f32>(true);", "must have one type"},
      {"const a = mat2x2(1, 2, 3, 4); const b = mat2x2(vec2(1, 2), vec2(3, 4)); const c = mat2x2f(b); const d = "
       "mat3x2<f32>();"},
      {"enable f16; fn f(m: mat2x2f) { let a = mat2x2<f16>(m); let b: mat2x2f = mat2x2f(a); }"},
      {"const a = mat2x2(1, 2, 3);", "no matching constructor"},
      {"const a = mat2x2f(1u, 2u, 3u, 4u);", "floating point type"},
      {"const a = mat2x2();", "no matching constructor"},
      {"const a = i32(1.5); const b = u32(-1i); const c = f32(true); const d = bool(0); const e = i32(5u);"},
      {"const a = u32(-1);", "value -1 cannot be represented as 'u32'"},
      {"const a = i32(vec2(1));", "no matching constructor"},
      {"const a = i32(1, 2);", "no matching constructor"},
      {"const a = array<i32, 3>(1, 2, 3); const b = array<vec2f, 2>(vec2(1), vec2f()); const c = array<i32, 3>();"},
      {"const a = array(vec2(1, 2), vec2(1.5, 2)); const b = array(array(1, 2), array(3, 4.5)); const_assert b[1][1] "
       "== 4.5;"},
      {"const a = array<i32, 3>(1, 2);", "takes 3 elements, has 2"},
      {"const a = array<i32, 2>(1, 2u);", "expected 'i32', found 'u32'"},
      {"const a = array(1i, 2u);", "must have one type"},
      {"const a = array();", "cannot be inferred"},
      {"const a = array<i32>(1, 2);", "cannot be constructed"},
      {"struct S { a: i32, b: vec2f } const s = S(1, vec2(2)); const t = S();"},
      {"struct S { a: i32 } const s = S(1, 2);", "takes 1 members, has 2"},
      {"struct S { a: i32 } const s = S(1u);", "expected 'i32', found 'u32'"},
      {"fn f() { vec2(1, 2); }", "must be used"},
      {"const a = atomic<u32>(1);", "cannot be constructed"},
      {"const a = sampler();", "cannot be constructed"},
  });
}

}  // namespace
}  // namespace kem::wgsl::sem::testing
