// Spec "Statements", "Statements Behavior Analysis", "Functions", "Entry Points", "Attributes", "Assertions".
#include "wgsl/sem/resolve_testing.h"

namespace kem::wgsl::sem::testing {
namespace {

TEST(ResolveStatement, Assignment) {
  check({
      {"var<private> p: i32; fn f() { var a: i32; a = 1; a += 2; a <<= 3; a++; p--; var v: vec3f; v.x = 1; v *= 2; v "
       "*= mat3x3f(); }"},
      {"fn f() { let a = 1; a = 2; }", "cannot assign to a value of type 'i32'"},
      {"fn f(a: i32) { a = 2; }", "cannot assign to a value"},
      {"const a = 1; fn f() { a = 2; }", "cannot assign to a value"},
      {"fn f() { var a: i32; a = 1u; }", "expected 'i32', found 'u32'"},
      {"fn f() { var v: vec3f; v.xy = vec2f(); }", "cannot assign to a value"},
      {"@group(0) @binding(0) var<storage> a: u32; fn f() { a = 1; }", "with access mode 'read'"},
      {"@group(0) @binding(0) var<uniform> a: u32; fn f() { a += 1; }", "with access mode 'read'"},
      {"@group(0) @binding(0) var<storage, read_write> a: array<u32>; fn f() { a[1] = 1; a[0]++; }"},
      {"fn f() { var a: i32; a += 1.5; }", "no matching overload"},
      {"fn f() { var a: f32; a += 1; a %= 2.5; }"},
      {"fn f() { var v: vec2f; v += 1; }"},
      {"fn f() { var s: f32; s += vec2f(); }", "expected 'f32', found 'vec2<f32>'"},
      {"fn f() { var a: i32; a /= 0; }", "integer division by zero"},
      {"fn f() { var a: f32; a++; }", "only i32 and u32"},
      {"fn f() { var a: vec2i; a++; }", "only i32 and u32"},
      {"fn f() { let a = 1; a++; }", "cannot increment a value"},
      {"fn g() -> i32 { return 1; } fn f() { _ = g(); _ = 1; _ = vec2(1, 2); }"},
      {"@group(0) @binding(0) var<storage> a: array<u32>; @group(0) @binding(1) var t: texture_2d<f32>; fn f() { _ = "
       "&a; _ = t; }"},
      {"@group(0) @binding(0) var<storage> a: array<u32>; fn f() { _ = a; }", "cannot load"},
      {"fn g() {} fn f() { _ = g(); }", "does not return a value"},
  });
}

TEST(ResolveStatement, Conditions) {
  check({
      {"fn f(a: bool) { if a { } else if !a { } else { } while a { break; } for (; a;) { break; } }"},
      {"fn f(a: i32) { if a { } }", "the condition of 'if' must be bool, not 'i32'"},
      {"fn f(a: vec2<bool>) { if a { } }", "must be bool"},
      {"fn f(a: i32) { while a { } }", "the condition of 'while'"},
      {"fn f(a: i32) { for (; a; ) { } }", "the condition of 'for'"},
      {"fn f(a: i32) { loop { continuing { break if a; } } }", "the condition of 'break if'"},
  });
}

TEST(ResolveStatement, Switch) {
  check({
      {"fn f(a: i32) { const c = 2; switch a { case 0: { } default { } case 1, c, { } case 3, { } } }"},
      {"fn f(a: u32) { switch a { case 1, default { } case 3u { } } }"},
      {"fn f() { switch 1 { case 1u { } default { } } }"},
      {"fn f(a: f32) { switch a { default { } } }", "must be i32 or u32"},
      {"fn f(a: bool) { switch a { default { } } }", "must be i32 or u32"},
      {"fn f(a: i32) { switch a { case 1u { } default { } } }", "all i32 or all u32"},
      {"fn f(a: i32) { switch a { case 1 { } } }", "needs a default clause"},
      {"fn f(a: i32) { switch a { default { } default { } } }", "more than one default"},
      {"fn f(a: i32) { switch a { case default { } default { } } }", "more than one default"},
      {"fn f(a: i32) { switch a { case 1 { } case 2, 1 { } default { } } }", "case selector 1 is given twice"},
      {"fn f(a: i32, b: i32) { switch a { case b { } default { } } }", "must be a const-expression"},
      {"override o = 1; fn f(a: i32) { switch a { case o { } default { } } }", "must be a const-expression"},
  });
}

TEST(ResolveStatement, Jumps) {
  check({
      {"fn f(a: i32) { loop { if a == 1 { break; } if a == 2 { continue; } continuing { var i = 1; break if i == a; } "
       "} }"},
      {"fn f(a: i32) { switch a { default { break; } } loop { switch a { default { if a == 1 { continue; } } } break; "
       "} }"},
      {"fn f() { break; }", "'break' is only for loops and switches"},
      {"fn f() { continue; }", "'continue' is only for loops"},
      {"fn f(a: i32) { switch a { default { continue; } } }", "'continue' is only for loops"},
      {"fn f(a: bool) { loop { continuing { if a { break; } } } }", "'break' cannot leave a continuing block"},
      {"fn f(a: bool) { loop { break; continuing { continue; } } }", "'continue' cannot leave a continuing block"},
      {"fn f(a: bool) { loop { break; continuing { return; } } }", "'return' cannot be in a continuing block"},
      {"fn f(a: bool) { loop { continuing { loop { break; } for (;;) { if a { continue; } break; } switch 1 { default "
       "{ break; } } break if a; } } }"},
      {"fn f() { var i = 0; loop { if i >= 4 { break; } if i % 2 == 0 { continue; } let step = 2; continuing { i = i + "
       "step; } } }",
       "bypasses the declaration of 'step'"},
      {"fn f() { var i = 0; loop { if i >= 4 { break; } let step = 2; if i % 2 == 0 { continue; } continuing { i = i + "
       "step; } } }"},
      {"fn f() { var i = 0; loop { if i >= 4 { break; } { let step = 2; continue; } let x = 1; continuing { i = i + 1; "
       "} } }"},
      {"fn f() { var i = 0; loop { if i >= 4 { break; } loop { continue; } let x = 1; continuing { i = i + x; } } }",
       "loop does not exit: it has no 'break' or 'return'"},
      {"fn f() { var i = 0; loop { if i >= 4 { break; } continue; let x = 1; continuing { let x = 2; i += x; } } }"},
      {"fn f() { discard; }"},
      {"@compute @workgroup_size(1) fn f() { discard; }", "'discard' cannot be used in the compute stage"},
      {"fn g() { discard; } @compute @workgroup_size(1) fn f() { g(); }",
       "'discard' cannot be used in the compute stage"},
      {"fn f() { const_assert 1 < 2; const_assert(true); }"},
      {"const_assert 1 > 2;", "const assertion failed"},
      {"const_assert 1;", "must be bool"},
      {"fn f() { let a = 1; const_assert a == 1; }", "must be a const-expression"},
  });
}

TEST(Behavior, Functions) {
  check({
      {"fn f(a: bool) -> i32 { if a { return 1; } else { return 2; } }"},
      {"fn f(a: bool) -> i32 { if a { return 1; } return 2; }"},
      {"fn f(a: i32) -> i32 { switch a { case 1 { return 1; } default { return 2; } } }"},
      {"fn f() -> i32 { loop { return 1; } }"},
      {"fn f(a: bool) -> i32 { loop { if a { return 1; } } }"},
      {"fn f() -> i32 { return 1; let x = 2; }"},
      {"fn f() -> i32 { { return 1; } }"},
      {"fn f() { return; return; }"},
      {"fn f(a: bool) -> i32 { if a { return 1; } }", "does not return a value on every path"},
      {"fn f() -> i32 { }", "does not return a value on every path"},
      {"fn f(a: i32) -> i32 { switch a { case 1 { return 1; } default { } } }", "does not return a value"},
      {"fn f(a: i32) -> i32 { switch a { case 1 { return 1; } default { break; } } }", "does not return a value"},
      {"fn f(a: bool) -> i32 { loop { if a { break; } return 1; } }", "does not return a value"},
      {"fn f(a: bool) -> i32 { for (; a;) { return 1; } }", "does not return a value"},
      {"fn f(a: bool) -> i32 { while a { return 1; } }", "does not return a value"},
      {"fn f() -> i32 { for (;;) { return 1; } }"},
      {"fn f() { loop { } }", "loop does not exit"},
      {"fn f() { for (;;) { } }", "loop does not exit"},
      {"fn f() { loop { continue; } }", "loop does not exit"},
      {"fn f(a: bool) { loop { continuing { break if a; } } }"},
      {"fn f() { while true { } }"},
      {"fn f() { loop { switch 1 { default { break; } } } }", "loop does not exit"},
      {"fn f() -> i32 { return 1u; }", "expected 'i32', found 'u32'"},
      {"fn f() -> i32 { return; }", "must return a value"},
      {"fn f() { return 1; }", "does not return a value"},
      {"fn f() -> i32 { discard; }", "does not return a value"},
  });
}

TEST(ResolveFunction, Declarations) {
  check({
      {"fn f(a: i32, b: ptr<function, f32>, t: texture_2d<f32>, s: sampler) -> vec2f { return vec2f(); }"},
      {"fn f(a: array<u32>) {}", "cannot be of type 'array<u32>'"},
      {"fn f(a: atomic<u32>) {}", "cannot be of type 'atomic<u32>'"},
      {"fn f() -> ptr<private, i32> { }", "must be constructible"},
      {"fn f() -> texture_2d<f32> { }", "must be constructible"},
      {"@must_use fn g() -> i32 { return 1; } fn f() { g(); }", "must be used"},
      {"fn g() -> i32 { return 1; } fn f() { g(); }"},
      {"@must_use fn g() {}", "returns a value"},
      {"@const fn g() {}", "attribute '@const' is not allowed on a function"},
      {"@align(4) fn g() {}", "not allowed on a function"},
      {"fn g(@location(0) a: f32) {}", "only parameters of entry points"},
      {"fn g() -> @location(0) f32 { return 1; }", "only return types of entry points"},
  });
}

TEST(ResolveEntryPoint, Compute) {
  check({
      {"@compute @workgroup_size(8, 4, 1) fn main(@builtin(local_invocation_id) a: vec3u, "
       "@builtin(local_invocation_index) b: u32, "
       "@builtin(global_invocation_id) c: vec3<u32>, @builtin(workgroup_id) d: vec3u, @builtin(num_workgroups) e: "
       "vec3u) {}"},
      {"@compute @workgroup_size(8) fn main(@builtin(workgroup_index) a: u32, @builtin(global_invocation_index) b: "
       "u32) {}"},
      {"struct I { @builtin(global_invocation_id) id: vec3u, @builtin(workgroup_id) w: vec3u } @compute "
       "@workgroup_size(1) fn main(i: I) {}"},
      {"enable subgroups; @compute @workgroup_size(1) fn main(@builtin(subgroup_size) s: u32, "
       "@builtin(subgroup_invocation_id) i: u32, "
       "@builtin(subgroup_id) n: u32, @builtin(num_subgroups) m: u32) {}"},
      {"@compute @workgroup_size(1) fn main(@builtin(subgroup_size) s: u32) {}", "needs 'enable subgroups;'"},
      {"@compute fn main() {}", "needs '@workgroup_size'"},
      {"@workgroup_size(1) fn main() {}", "only for compute entry points"},
      {"@compute @workgroup_size(0) fn main() {}", "must be at least 1"},
      {"@compute @workgroup_size(-1) fn main() {}", "must be at least 1"},
      {"@compute @workgroup_size(1.0) fn main() {}", "must be i32 or u32"},
      {"@compute @workgroup_size(1u, 2i) fn main() {}", "all i32 or all u32"},
      {"@compute @workgroup_size(1u, 2) fn main() {}"},
      {"@compute @workgroup_size(1, 2, 3, 4) fn main() {}", "'@workgroup_size' takes 1 to 3 arguments, not 4"},
      {"@compute @workgroup_size() fn main() {}", "'@workgroup_size' takes 1 to 3 arguments, not 0"},
      {"var<private> p = 1; @compute @workgroup_size(p) fn main() {}",
       "must be a const-expression or override-expression"},
      {"@compute @compute @workgroup_size(1) fn main() {}", "given twice"},
      {"@compute @vertex @workgroup_size(1) fn main() {}", "two shader stages"},
      {"@compute @workgroup_size(1) fn main(a: i32) {}", "needs '@builtin' or '@location'"},
      {"@compute @workgroup_size(1) fn main(@location(0) a: i32) {}", "no user-defined inputs"},
      {"@compute @workgroup_size(1) fn main() -> i32 { return 1; }", "cannot return a value"},
      {"@compute @workgroup_size(1) fn main(@builtin(global_invocation_id) a: vec3i) {}",
       "must be of type 'vec3<u32>'"},
      {"@compute @workgroup_size(1) fn main(@builtin(position) a: vec4f) {}", "cannot be a compute input"},
      {"@compute @workgroup_size(1) fn main(@builtin(workgroup_id) a: vec3u, @builtin(workgroup_id) b: vec3u) {}",
       "used twice"},
      {"@compute @workgroup_size(1) fn main(@builtin(workgroup_idd) a: vec3u) {}", "did you mean 'workgroup_id'?"},
      {"@compute @workgroup_size(1) fn main(p: ptr<function, i32>) {}", "needs '@builtin' or '@location'"},
      {"@compute @workgroup_size(1) fn main() { workgroupBarrier(); } fn f() { workgroupBarrier(); } "
       "@fragment fn g() { f(); }",
       "cannot be used in the fragment stage"},
      {"fn g() { _ = dpdx(1); } @compute @workgroup_size(1) fn main() { g(); }",
       "'dpdx' cannot be used in the compute stage"},
      {"var<workgroup> w: i32; fn g() { w = 1; } @fragment fn main() { g(); }",
       "'workgroup' cannot be used in the fragment stage"},
  });
}

TEST(ResolveEntryPoint, VertexAndFragment) {
  check({
      {"struct V { @builtin(position) p: vec4f, @location(0) c: vec3f, @location(1) @interpolate(flat) i: u32 } "
       "@vertex fn v(@builtin(vertex_index) n: u32, @location(0) q: vec2f) -> V { return V(); } "
       "@fragment fn f(v: V, @builtin(front_facing) b: bool) -> @location(0) vec4f { return v.p; }"},
      {"@vertex fn v() {}", "must return the built-in value 'position'"},
      {"@vertex fn v() -> @location(0) vec4f { return vec4f(); }", "must return the built-in value 'position'"},
      {"@fragment fn f(@location(0) i: i32) {}", "needs '@interpolate(flat)'"},
      {"@fragment fn f(@location(0) a: f32, @location(0) b: f32) {}", "location 0 is used twice"},
      {"struct S { @location(0) a: f32, @location(0) b: f32 }", "location 0 is used twice"},
      {"@fragment fn f(@location(0) a: bool) {}", "numeric scalars and vectors"},
      {"@fragment fn f(@location(0) a: mat2x2f) {}", "numeric scalars and vectors"},
      {"@fragment fn f(@location(-1) a: f32) {}", "at least 0"},
      {"@fragment fn f() -> f32 { return 1; }", "needs '@builtin' or '@location'"},
      {"struct A { @location(0) a: f32 } struct B { a: A } @fragment fn f(b: B) {}", "is a structure"},
      {"@fragment fn f(@location(0) @interpolate(linear, sample) a: f32) {}"},
      {"@fragment fn f(@location(0) @interpolate(flat, sample) a: f32) {}", "cannot be used with interpolation type"},
      {"@fragment fn f(@location(0) @interpolate(round) a: f32) {}", "unknown interpolation type"},
      {"@fragment fn f(@interpolate(flat) @builtin(position) a: vec4f) {}", "needs '@location'"},
      {"@vertex fn v() -> @builtin(position) @invariant vec4f { return vec4f(); }"},
      {"@fragment fn f(@location(0) @invariant a: f32) {}", "only for the built-in value 'position'"},
      {"@fragment fn f(@builtin(position) @location(0) a: vec4f) {}", "'@builtin' and '@location' exclude each other"},
      {"@group(0) @binding(0) var<storage, read_write> a: u32; @vertex fn v() -> @builtin(position) vec4f { a = 1; "
       "return vec4f(); }",
       "cannot be used in the vertex stage"},
  });
}

}  // namespace
}  // namespace kem::wgsl::sem::testing
