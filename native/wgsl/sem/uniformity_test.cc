#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "wgsl/sem/analysis_testing.h"
#include "wgsl/sem/validate.h"

namespace kem::wgsl::sem {
namespace {

using ::testing::HasSubstr;
using testing::Resolved;

// What the analysis says of a module: "" if it has nothing to say.
std::string analysis_of(std::string text, LanguageExtensions language = LanguageExtensions::All) {
  Resolved resolved(std::move(text), language);
  if (!resolved.ok()) return "does not resolve";
  Diagnostics diagnostics;
  validate_uniformity(resolved.module(), resolved.info(), diagnostics);
  return render(resolved.source(), diagnostics);
}

constexpr std::string_view kDeclarations = R"(enable subgroups;
@group(0) @binding(0) var<storage, read_write> rw: array<i32>;
@group(0) @binding(1) var<storage, read> ro: array<i32>;
@group(0) @binding(2) var<uniform> u: vec4i;
@group(0) @binding(3) var<storage, read_write> counter: atomic<i32>;
var<private> private_word: i32;
var<workgroup> shared_words: array<i32, 64>;
var<workgroup> shared_flag: i32;
var<workgroup> shared_atomic: atomic<i32>;
override o: i32 = 1;
const c = 1;
struct Pair { a: i32, b: i32 }
fn barrier() -> bool { workgroupBarrier(); return true; }
fn if_positive(v: i32) { if (v > 0) { workgroupBarrier(); } }
fn same(v: i32) -> i32 { return v; }
fn load() -> i32 { return rw[0]; }
fn constant() -> i32 { return 7; }
fn store(p: ptr<function, i32>, v: i32) { *p = v; }
fn store_shared(p: ptr<function, i32>) { *p = rw[0]; }
fn nothing(p: ptr<function, i32>) {}
fn value_of(p: ptr<function, i32>) -> i32 { return *p; }
fn copy(to: ptr<function, i32>, origin: ptr<function, i32>) { *to = *origin; }
fn if_points_to_positive(p: ptr<function, i32>) { if (*p > 0) { workgroupBarrier(); } }
fn load_uniformly(p: ptr<workgroup, i32>) -> i32 { return workgroupUniformLoad(p); }
fn through_shared(p: ptr<workgroup, i32>) -> i32 { return *p; }
fn store_any(p: ptr<function, array<i32, 4>>) -> i32 { (*p)[0] = rw[0]; return 0; }
fn store_if(p: ptr<function, i32>, v: i32) { if (v > 0) { *p = 1; } }
)";

std::string kernel(std::string_view body) {
  return std::string(kDeclarations) +
         "@compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32, @builtin(workgroup_id) g: "
         "vec3u, @builtin(num_workgroups) n: vec3u) {\n" +
         std::string(body) + "\n}\n";
}

// Bodies of compute kernels where every collective operation is proven to be in uniform control flow.
constexpr std::string_view kAccepted[] = {
    "workgroupBarrier();",
    // Uniform values.
    "if (u.x > 0) { workgroupBarrier(); }",
    "if (ro[3] > 0) { workgroupBarrier(); }",
    "if (g.x > 0) { workgroupBarrier(); }",
    "if (n.y > 2) { storageBarrier(); }",
    "if (o > 0) { workgroupBarrier(); }",
    "if (c > 0) { workgroupBarrier(); }",
    "let x = u.x + c; if (x > 0) { workgroupBarrier(); }",
    "if (workgroupUniformLoad(&shared_flag) > 0) { workgroupBarrier(); }",
    "if (workgroupUniformLoad(&shared_words[u.x]) > 0) { workgroupBarrier(); }",
    "if (arrayLength(&rw) > 3) { workgroupBarrier(); }",
    "if (max(u.x, 3) > i32(ro[0])) { workgroupBarrier(); }",
    // Control flow comes together after branches and loops whose only behavior is Next.
    "if (i == 0) { shared_flag = 1; } workgroupBarrier();",
    "if (i == 0) { shared_flag = 1; } else if (i == 1) { shared_flag = 2; } else { } workgroupBarrier();",
    "switch (rw[0]) { case 0 { shared_flag = 1; } default { } } workgroupBarrier();",
    "switch (rw[0]) { case 0 { if (i == 0) { break; } shared_flag = 1; } default { } } workgroupBarrier();",
    "loop { if (rw[0] > 0) { break; } } workgroupBarrier();",
    "for (var k = 0; k < rw[0]; k++) { } workgroupBarrier();",
    "while (rw[0] > 0) { } workgroupBarrier();",
    // Uniform control flow.
    "if (u.x > 0) { return; } workgroupBarrier();",
    "for (var k = 0; k < 4; k++) { workgroupBarrier(); }",
    "for (var k = 0; k < u.x; k++) { workgroupBarrier(); if (ro[k] > 0) { break; } }",
    "for (var k = 0; k < u.x; k++) { if (ro[k] > 0) { continue; } workgroupBarrier(); }",
    "var k = 0; loop { workgroupBarrier(); continuing { k += 1; break if k == 4; } }",
    "var k = 0; while (k < 4) { k++; workgroupBarrier(); }",
    "switch (u.x) { case 0 { workgroupBarrier(); } default { } }",
    // Variables.
    "var x = u.x; x += 1; if (x > 0) { workgroupBarrier(); }",
    "var x: i32; if (x > 0) { workgroupBarrier(); }",
    "var x = rw[0]; x = 0; if (x > 0) { workgroupBarrier(); }",
    "var x = vec3i(rw[0]); x = vec3i(); if (x.y > 0) { workgroupBarrier(); }",
    "var x = 0; if (u.x > 0) { x = 1; } if (x > 0) { workgroupBarrier(); }",
    "var x = 0; if (u.x > 0) { x = rw[0]; return; } if (x > 0) { workgroupBarrier(); }",
    "var x = 0; x = rw[0]; if (u.x > 0) { x = 1; } else { x = 2; } if (x > 0) { workgroupBarrier(); }",
    "var t: array<i32, 4>; t[u.x] = 1; if (t[0] > 0) { workgroupBarrier(); }",
    "var s: Pair; s.a = u.x; if (s.b > 0) { workgroupBarrier(); }",
    "loop { var x = 0; if (x > 0) { workgroupBarrier(); } x = rw[0]; if (u.x > 0) { break; } }",
    "var x = 0; loop { x = rw[0]; if (u.x > 0) { x = 0; break; } } if (x > 0) { workgroupBarrier(); }",
    // Pointers.
    "var x = rw[0]; let q = &x; *q = u.x; if (x > 0) { workgroupBarrier(); }",
    "var x = 0; let q = &x; let r = q; if (*r > 0) { workgroupBarrier(); }",
    "let q = &ro; if (q[1] > 0) { workgroupBarrier(); }",
    "var x = 0; let q = &x; if (i == 0) { let r = q; } if (*q > 0) { workgroupBarrier(); }",
    "var k = 0; var t: array<i32, 4>; let q = &t[k]; k = rw[0]; if (*q > 0) { workgroupBarrier(); }",
    // Short circuits.
    "if (u.x > 0 && barrier()) { }",
    "let b = u.x > 0 || barrier();",
    "if ((rw[0] > 0) & barrier()) { }",
    // Functions.
    "if_positive(u.x);",
    "if_positive(same(u.x));",
    "if (constant() > 0) { workgroupBarrier(); }",
    "_ = same(rw[0]);",
    "var x: i32; store(&x, u.x); if_positive(x);",
    "var x = rw[0]; store(&x, 3); if_positive(x);",
    "var x = u.x; nothing(&x); if_points_to_positive(&x);",
    "var x = 1; if_positive(value_of(&x));",
    "var x = rw[0]; var y = 1; copy(&x, &y); if_points_to_positive(&x);",
    "var x = 1; store_if(&x, u.x); if_positive(x);",
    "if_positive(load_uniformly(&shared_flag));",
    "if_positive(load_uniformly(&shared_words[ro[0]]));",
    // What follows a jump is unreachable and no part of the analysis.
    "return; if (i == 0) { workgroupBarrier(); }",
    "loop { break; if (i == 0) { workgroupBarrier(); } }",
    // Subgroup operations.
    "let x = subgroupAdd(i);",
    "let x = subgroupShuffleUp(i, u32(u.x));",
    "if (u.x > 0) { let x = subgroupBallot(i == 0); }",
    "@diagnostic(off, subgroup_uniformity) if (i == 0) { let x = subgroupAdd(i); }",
};

struct Refused {
  std::string_view body, expected;
};

constexpr std::string_view kBarrier = "'workgroupBarrier' must only be called from uniform control flow";

constexpr Refused kRefused[] = {
    // Non-uniform values.
    {"if (i == 0) { workgroupBarrier(); }", "input 'i' of the entry point may be non-uniform"},
    {"if (i == 0) { } else { workgroupBarrier(); }", kBarrier},
    {"if (rw[0] > 0) { workgroupBarrier(); }", "reading from read_write storage buffer 'rw' may give a non-uniform"},
    {"if (private_word > 0) { workgroupBarrier(); }", "reading from private variable 'private_word'"},
    {"private_word = 0; if (private_word > 0) { workgroupBarrier(); }", "reading from private variable 'private_word'"},
    {"if (shared_flag > 0) { workgroupBarrier(); }", "reading from workgroup variable 'shared_flag'"},
    {"if (atomicLoad(&shared_atomic) > 0) { workgroupBarrier(); }", "'atomicLoad' may return a non-uniform value"},
    {"if (atomicAdd(&counter, 1) > 0) { textureBarrier(); }", "'textureBarrier' must only be called"},
    {"if (ro[i] > 0) { storageBarrier(); }", "'storageBarrier' must only be called from uniform control flow"},
    {"if (i == 0) { _ = workgroupUniformLoad(&shared_flag); }", "'workgroupUniformLoad' must only be called"},
    {"_ = workgroupUniformLoad(&shared_words[i]);", "argument 1 of 'workgroupUniformLoad' must be uniform"},
    {"let q = &shared_words[i]; _ = workgroupUniformLoad(q);", "argument 1 of 'workgroupUniformLoad'"},
    {"if (any(vec2i(u.x, rw[0]) > vec2i(0))) { workgroupBarrier(); }", kBarrier},
    // Jumps out of uniform control flow.
    {"if (i == 0) { return; } workgroupBarrier();", kBarrier},
    {"if (i == 0) { return; } else { } workgroupBarrier();", kBarrier},
    {"if (u.x > 0) { } else if (i == 0) { return; } workgroupBarrier();", kBarrier},
    {"switch (rw[0]) { case 0 { workgroupBarrier(); } default { } }", kBarrier},
    {"switch (rw[0]) { case 0 { return; } default { } } workgroupBarrier();", kBarrier},
    {"switch (u.x) { case 0 { if (i == 0) { break; } workgroupBarrier(); } default { } }", kBarrier},
    {"for (var k = 0; k < rw[0]; k++) { workgroupBarrier(); }", kBarrier},
    {"for (var k = 0; k < 4; k++) { if (i == 0) { break; } workgroupBarrier(); }", kBarrier},
    {"for (var k = 0; k < 4; k++) { workgroupBarrier(); if (i == 0) { break; } }", kBarrier},
    {"for (var k = 0; k < 4; k++) { if (i == 0) { continue; } workgroupBarrier(); }", kBarrier},
    {"for (var k = 0; k < 4; k++) { if (i == 0) { continue; } if (u.x > 0) { workgroupBarrier(); } }", kBarrier},
    {"for (var k = 0; k < 4; k++) { workgroupBarrier(); if (i == 0) { return; } } ", kBarrier},
    {"for (var k = 0; k < 4; k++) { if (i == 0) { return; } } workgroupBarrier();", kBarrier},
    {"while (rw[0] > 0) { workgroupBarrier(); }", kBarrier},
    {"loop { workgroupBarrier(); continuing { break if rw[0] > 0; } }", kBarrier},
    {"loop { if (i == 0) { break; } continuing { workgroupBarrier(); } }", kBarrier},
    {"for (var k = 0; k < 4; k += select(1, 2, barrier())) { if (i == 0) { continue; } }", kBarrier},
    // Variables.
    {"var x = rw[0]; if (x > 0) { workgroupBarrier(); }", kBarrier},
    {"let x = rw[0] + 1; if (x > 0) { workgroupBarrier(); }", kBarrier},
    {"var x = 0; x += rw[0]; if (x > 0) { workgroupBarrier(); }", kBarrier},
    {"var x = rw[0]; x += 1; if (x > 0) { workgroupBarrier(); }", kBarrier},
    {"var x = rw[0]; x++; if (x > 0) { workgroupBarrier(); }", kBarrier},
    {"var x = 0; if (i == 0) { x = 1; } if (x > 0) { workgroupBarrier(); }", kBarrier},
    {"var x = 0; if (u.x > 0) { x = rw[0]; } if (x > 0) { workgroupBarrier(); }", kBarrier},
    {"var x = 0; if (u.x > 0) { } else if (u.y > 0) { x = rw[0]; } if (x > 0) { workgroupBarrier(); }", kBarrier},
    {"var x = 0; switch (u.x) { case 0 { x = rw[0]; } default { } } if (x > 0) { workgroupBarrier(); }", kBarrier},
    {"var x = 0; switch (u.x) { case 0 { x = rw[0]; if (u.y > 0) { break; } x = 1; } default { } }\n"
     "if (x > 0) { workgroupBarrier(); }",
     kBarrier},
    {"var t: array<i32, 4>; t[1] = rw[0]; if (t[0] > 0) { workgroupBarrier(); }", kBarrier},
    {"var t: array<i32, 4>; t[i] = 1; if (t[0] > 0) { workgroupBarrier(); }", kBarrier},
    {"var t: array<i32, 4>; t[0] = rw[0]; t[0] = 1; if (t[0] > 0) { workgroupBarrier(); }", kBarrier},
    {"var t = array(1, 2); if (t[i] > 0) { workgroupBarrier(); }", kBarrier},
    {"var s: Pair; s.a = rw[0]; s.a = 0; if (s.b > 0) { workgroupBarrier(); }", kBarrier},
    // Values that come round a loop.
    {"var x = 0; loop { if (x > 0) { workgroupBarrier(); } x = rw[0]; if (u.x > 0) { break; } }", kBarrier},
    {"var x = 0; for (var k = 0; k < 4; k++) { x += 1; if (i == 0) { break; } } if (x > 0) { workgroupBarrier(); }",
     kBarrier},
    {"var x = 0; loop { if (u.x > 0) { x = rw[0]; continue; } x = 0; continuing { if (x > 0) { workgroupBarrier(); } "
     "break if u.y > 0; } }",
     kBarrier},
    {"loop { var y = 0; if (u.x > 0) { y = rw[0]; continue; } continuing { if (y > 0) { workgroupBarrier(); } break if "
     "u.y > 0; } }",
     kBarrier},
    {"var x = 0; var y = 0; loop { if (y > 0) { workgroupBarrier(); } y = x; x = rw[0]; if (u.x > 0) { break; } }",
     kBarrier},
    {"var x = 0; loop { loop { x = rw[0]; if (u.x > 0) { break; } x = 0; } if (x > 0) { workgroupBarrier(); } if (u.y "
     "> "
     "0) { break; } }",
     kBarrier},
    {"var x = 0; for (; x < 4; x += rw[0]) { workgroupBarrier(); }", kBarrier},
    // Pointers.
    {"var x = 0; let q = &x; *q = rw[0]; if (x > 0) { workgroupBarrier(); }", kBarrier},
    {"var x = rw[0]; let q = &x; if (*q > 0) { workgroupBarrier(); }", kBarrier},
    {"var t: array<i32, 4>; let q = &t[i]; if (*q > 0) { workgroupBarrier(); }", kBarrier},
    {"var t: array<i32, 4>; let q = &t[i]; *q = 1; if (t[0] > 0) { workgroupBarrier(); }", kBarrier},
    {"var t: array<i32, 4>; t[0] = rw[0]; let q = &t; (*q)[1] = 2; if (t[2] > 0) { workgroupBarrier(); }", kBarrier},
    {"let q = &rw; if (q[1] > 0) { workgroupBarrier(); }", kBarrier},
    {"var x = vec4i(rw[0]); let q = &x; if (any(q.xy > vec2i(0))) { workgroupBarrier(); }", kBarrier},
    {"var x = vec4i(rw[0]); if (any(x.zw > vec2i(0))) { workgroupBarrier(); }", kBarrier},
    {"var x: array<i32, 4>; if (x[store_any(&x)] > 0) { workgroupBarrier(); }", kBarrier},
    // Short circuits.
    {"if (rw[0] > 0 && barrier()) { }", kBarrier},
    {"let b = rw[0] > 0 || barrier();", kBarrier},
    {"let b = u.x > 0 && rw[0] > 0 && barrier();", kBarrier},
    // Functions.
    {"if (i == 0) { _ = barrier(); }", "'barrier' is called here"},
    {"if_positive(rw[0]);", "argument 1 of 'if_positive' must be uniform"},
    {"if (i == 0) { if_positive(1); }", "'if_positive' is called here"},
    {"if_positive(same(rw[0]));", kBarrier},
    {"if_positive(load());", "'load' may return a non-uniform value"},
    {"var x: i32; store(&x, rw[0]); if_positive(x);", kBarrier},
    {"var x: i32; store_shared(&x); if_positive(x);",
     "'store_shared' may leave a non-uniform value in what its argument 1 points to"},
    {"var x = 0; if (i == 0) { store(&x, 3); } if_positive(x);", kBarrier},
    {"var x = rw[0]; nothing(&x); if_positive(x);", kBarrier},
    {"var x = rw[0]; if_positive(value_of(&x));", kBarrier},
    {"var x = rw[0]; if_points_to_positive(&x);",
     "argument 1 of 'if_points_to_positive' must point to a uniform value"},
    {"var x = 0; var y = rw[0]; copy(&x, &y); if_positive(x);", kBarrier},
    {"var x = 1; store_if(&x, rw[0]); if_positive(x);", kBarrier},
    {"var t: array<i32, 4>; t[0] = rw[0]; store(&t[1], 1); if_positive(t[2]);", kBarrier},
    {"var x = 0; loop { if_positive(x); store_shared(&x); if (u.x > 0) { break; } }", kBarrier},
    {"if_positive(load_uniformly(&shared_words[i]));", "argument 1 of 'load_uniformly' must be uniform"},
    {"if_positive(through_shared(&shared_flag));", "reading through pointer 'p' may give a non-uniform value"},
    {"var x = 0; let b = u.x > 0 && same(rw[0]) > 0 && value_of(&x) > 0; if (b) { workgroupBarrier(); }", kBarrier},
    // Subgroup operations.
    {"if (i == 0) { let x = subgroupAdd(i); }", "'subgroupAdd' must only be called from uniform control flow"},
    {"if (i == 0) { let x = quadSwapX(i); }", "'quadSwapX' must only be called from uniform control flow"},
    {"let x = subgroupShuffleUp(i, i);", "argument 2 of 'subgroupShuffleUp' must be uniform"},
    {"let x = subgroupShuffleXor(i, u32(rw[0]));", "argument 2 of 'subgroupShuffleXor' must be uniform"},
    {"if (subgroupAdd(1u) > 3) { workgroupBarrier(); }", "'subgroupAdd' may return a non-uniform value"},
    {"@diagnostic(off, derivative_uniformity) if (i == 0) { let x = subgroupAdd(i); }", "'subgroupAdd'"},
    {"@diagnostic(off, subgroup_uniformity) if (i == 0) { workgroupBarrier(); }", kBarrier},
};

// ---- Scopes (language extension subgroup_uniformity) -----------------------------------------------------

struct ScopeCase {
  std::string_view body;
  std::string_view with;     // what is expected where subgroups have a scope of their own; "": nothing is said
  std::string_view without;  // where they do not
};

constexpr std::string_view kSubgroupAdd = "'subgroupAdd' must only be called from uniform control flow";
constexpr ScopeCase kScopes[] = {
    // Uniform in the subgroup, not in the workgroup.
    {"if (sid == 0) { _ = subgroupAdd(i); }", "", kSubgroupAdd},
    {"if (subgroupAdd(1) > 3) { _ = subgroupAdd(i); }", "", kSubgroupAdd},
    {"if (subgroupAny(u.x > 3)) { _ = subgroupAdd(i); }", "", kSubgroupAdd},
    {"if (subgroupBroadcastFirst(g.x) > 3) { _ = quadSwapX(i); }", "",
     "'quadSwapX' must only be called from uniform control flow"},
    {"_ = subgroupShuffleUp(i, sid);", "", "argument 2 of 'subgroupShuffleUp' must be uniform"},
    {"_ = subgroupShuffleXor(i, subgroupMax(3u));", "", "argument 2 of 'subgroupShuffleXor' must be uniform"},
    {"if (sid == 0) { workgroupBarrier(); }", kBarrier, kBarrier},
    {"if (subgroupAdd(1) > 3) { workgroupBarrier(); }", kBarrier, kBarrier},
    {"_ = workgroupUniformLoad(&shared_words[sid]);", "argument 1 of 'workgroupUniformLoad' must be uniform",
     "argument 1 of 'workgroupUniformLoad' must be uniform"},
    // Not even in the subgroup.
    {"if (i == 0) { _ = subgroupAdd(i); }", kSubgroupAdd, kSubgroupAdd},
    {"if (lane == 0) { _ = subgroupAdd(i); }", kSubgroupAdd, kSubgroupAdd},
    {"if (subgroupElect()) { _ = subgroupAdd(i); }", kSubgroupAdd, kSubgroupAdd},
    {"if (subgroupInclusiveAdd(1) > 3) { _ = subgroupAdd(i); }", kSubgroupAdd, kSubgroupAdd},
    {"if (subgroupShuffle(1, u32(u.x)) > 3) { _ = subgroupAdd(i); }", kSubgroupAdd, kSubgroupAdd},
    {"if (subgroupAdd(i) > 3) { _ = subgroupAdd(i); }", kSubgroupAdd, kSubgroupAdd},
    {"_ = subgroupShuffleDown(i, lane);", "argument 2 of 'subgroupShuffleDown' must be uniform",
     "argument 2 of 'subgroupShuffleDown' must be uniform"},
    // Uniform in the workgroup, and so in each of its subgroups.
    {"if (n_subgroups == 2 && size > 4) { _ = subgroupAdd(i); workgroupBarrier(); }", "", ""},
    {"if (workgroupUniformLoad(&shared_flag) > 3) { _ = subgroupAdd(i); }", "", ""},
    // Filters count in both.
    {"@diagnostic(off, subgroup_uniformity) if (i == 0) { _ = subgroupAdd(i); }", "", ""},
    {"@diagnostic(warning, subgroup_uniformity) if (i == 0) { _ = subgroupAdd(i); }", kSubgroupAdd, kSubgroupAdd},
};

TEST(Uniformity, SubgroupsHaveAScopeOfTheirOwn) {
  for (const ScopeCase& c : kScopes) {
    SCOPED_TRACE(c.body);
    const auto module = [&](std::string_view inputs) {
      return std::string(kDeclarations) +
             "@compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32, @builtin(workgroup_id) g: "
             "vec3u, @builtin(subgroup_invocation_id) lane: u32, @builtin(subgroup_size) size: u32" +
             std::string(inputs) + ") {\n" + std::string(c.body) + "\n}\n";
    };
    const std::string both = module(", @builtin(subgroup_id) sid: u32, @builtin(num_subgroups) n_subgroups: u32");
    const std::string with = analysis_of(both);
    EXPECT_EQ(with.empty(), c.with.empty()) << with;
    EXPECT_THAT(with, HasSubstr(std::string(c.with)));
    // Extension subgroup_id is switched off together with subgroup_uniformity.
    if (c.body.find("sid") != std::string_view::npos || c.body.find("n_subgroups") != std::string_view::npos) continue;
    const std::string without = analysis_of(module(""), LanguageExtensions::First);
    EXPECT_EQ(without.empty(), c.without.empty()) << without;
    EXPECT_THAT(without, HasSubstr(std::string(c.without)));
  }
}

TEST(Uniformity, FailuresNameTheirRule) {
  const auto rules = [](std::string text) {
    Options options;
    options.features.subgroups = true;
    std::vector<std::string> names;
    for (const LocatedDiagnostic& d : compile(std::move(text), options).located) names.push_back(d.rule);
    return names;
  };
  using Rules = std::vector<std::string>;
  EXPECT_EQ(rules(kernel("if (i == 0) { workgroupBarrier(); }")), Rules{""});
  EXPECT_EQ(rules(kernel("if (i == 0) { _ = subgroupAdd(i); }")), Rules{"subgroup_uniformity"});
  EXPECT_EQ(rules("fn d(x: f32) -> f32 { return dpdx(x); }\n"
                  "@fragment fn main(@location(0) x: f32) { if (x > 0) { _ = d(x); } }"),
            Rules{"derivative_uniformity"});
}

TEST(Uniformity, Accepted) {
  for (const std::string_view body : kAccepted) EXPECT_EQ(analysis_of(kernel(body)), "") << body;
}

TEST(Uniformity, Refused) {
  for (const Refused& c : kRefused) {
    const std::string said = analysis_of(kernel(c.body));
    EXPECT_THAT(said, HasSubstr("error: ")) << c.body;
    EXPECT_THAT(said, HasSubstr(std::string(c.expected))) << c.body;
  }
}

// ---- Entry points' inputs -------------------------------------------------------------------------------

TEST(Uniformity, StructuresOfInputsAreUniformIfEveryMemberIs) {
  const auto with = [](std::string_view second) {
    return "struct In { @builtin(workgroup_id) a: vec3u, @builtin(" + std::string(second) +
           ") b: vec3u }\n@compute @workgroup_size(1) fn main(in: In) { if (in.a.x > 0) { workgroupBarrier(); } }";
  };
  EXPECT_EQ(analysis_of(with("num_workgroups")), "");
  EXPECT_THAT(analysis_of(with("local_invocation_id")), HasSubstr("input 'in' of the entry point may be non-uniform"));
}

constexpr std::string_view kFragment = R"(
@group(0) @binding(0) var t: texture_2d<f32>;
@group(0) @binding(1) var s: sampler;
@group(0) @binding(2) var<uniform> u: vec4f;
@group(0) @binding(3) var d: texture_depth_2d;
@group(0) @binding(4) var sc: sampler_comparison;
)";

std::string fragment(std::string_view body) {
  return std::string(kFragment) + "@fragment fn main(@builtin(position) p: vec4f, @location(0) uv: vec2f) {" +
         std::string(body) + "}";
}

TEST(Uniformity, Derivatives) {
  EXPECT_EQ(analysis_of(fragment("_ = textureSample(t, s, uv);")), "");
  EXPECT_EQ(analysis_of(fragment("if (u.x > 0) { _ = dpdx(uv); }")), "");
  EXPECT_EQ(analysis_of(fragment("if (uv.x > 0) { _ = textureSampleLevel(t, s, uv, 0); }")), "");
  for (const std::string_view call : {"textureSample(t, s, uv)", "textureSampleBias(t, s, uv, 1)", "dpdyFine(uv)",
                                      "textureSampleCompare(d, sc, uv, 0)", "fwidth(uv)"}) {
    const std::string name(call.substr(0, call.find('(')));
    EXPECT_THAT(analysis_of(fragment("if (uv.x > 0) { _ = " + std::string(call) + "; }")),
                HasSubstr("'" + name + "' must only be called from uniform control flow"));
    EXPECT_THAT(analysis_of(fragment("if (p.x > 0) { _ = " + std::string(call) + "; }")), HasSubstr("input 'p'"));
  }
  EXPECT_THAT(analysis_of(fragment("if (textureSample(t, s, uv).x > 0) { _ = dpdx(uv); }")),
              HasSubstr("'textureSample' may return a non-uniform value"));
}

TEST(Uniformity, FiltersChangeTheSeverity) {
  const std::string_view call = "if (uv.x > 0) { _ = dpdx(uv); }";
  const auto with = [&](std::string_view severity) {
    return "diagnostic(" + std::string(severity) + ", derivative_uniformity);" + fragment(call);
  };
  EXPECT_EQ(analysis_of(with("off")), "");
  EXPECT_THAT(analysis_of(with("info")), HasSubstr("info: 'dpdx'"));
  EXPECT_THAT(analysis_of(with("warning")), HasSubstr("warning: 'dpdx'"));
  EXPECT_THAT(analysis_of(with("error")), HasSubstr("error: 'dpdx'"));
  // The nearest filter counts.
  EXPECT_EQ(analysis_of(fragment("@diagnostic(off, derivative_uniformity) " + std::string(call))), "");
  EXPECT_THAT(analysis_of(fragment("@diagnostic(off, derivative_uniformity) if (u.y > 0) { @diagnostic(warning, "
                                   "derivative_uniformity) if (u.x > 0) { } " +
                                   std::string(call) + " }")),
              "");
  EXPECT_THAT(analysis_of("diagnostic(off, derivative_uniformity);" +
                          fragment("@diagnostic(error, derivative_uniformity) " + std::string(call))),
              HasSubstr("error: 'dpdx'"));
}

TEST(Uniformity, TheFilterOfTheBuiltinsCallCountsInItsCallersToo) {
  const auto module = [](std::string_view attribute) {
    return std::string(kFragment) + std::string(attribute) +
           " fn derive(v: vec2f) -> vec2f { return dpdx(v); }\n"
           "@fragment fn main(@location(0) uv: vec2f) { if (uv.x > 0) { _ = derive(uv); } }";
  };
  EXPECT_THAT(analysis_of(module("")), HasSubstr("error: 'dpdx'"));
  EXPECT_THAT(analysis_of(module("@diagnostic(warning, derivative_uniformity)")), HasSubstr("warning: 'dpdx'"));
  EXPECT_EQ(analysis_of(module("@diagnostic(off, derivative_uniformity)")), "");
}

// An error does not hide the warning of another call, whose control flow is another.
TEST(Uniformity, EachSeverityIsReported) {
  const std::string said = analysis_of(
      fragment("@diagnostic(warning, derivative_uniformity) if (uv.x > 0) { _ = dpdx(uv); } if (uv.y > 0) { _ = "
               "dpdy(uv); }"));
  EXPECT_THAT(said, HasSubstr("warning: 'dpdx'"));
  EXPECT_THAT(said, HasSubstr("error: 'dpdy'"));
}

// ---- Diagnostics ----------------------------------------------------------------------------------------

TEST(Uniformity, TheDiagnosticLeadsFromTheCallToTheReason) {
  EXPECT_EQ(analysis_of(R"(@group(0) @binding(0) var<storage, read_write> rw: array<i32>;
fn inner() { workgroupBarrier(); }
fn load(k: u32) -> i32 { return rw[k]; }
@compute @workgroup_size(64)
fn main() {
  let x = load(0);
  if x > 0 {
    inner();
  }
}
)"),
            R"(kernel:2:14 error: 'workgroupBarrier' must only be called from uniform control flow
  fn inner() { workgroupBarrier(); }
               ^^^^^^^^^^^^^^^^^^
kernel:8:5 note: 'inner' is called here
      inner();
      ^^^^^^^
kernel:7:6 note: control flow depends on a possibly non-uniform value
    if x > 0 {
       ^^^^^
kernel:6:11 note: 'load' may return a non-uniform value
    let x = load(0);
            ^^^^^^^
kernel:3:33 note: reading from read_write storage buffer 'rw' may give a non-uniform value
  fn load(k: u32) -> i32 { return rw[k]; }
                                  ^^
)");
}

// ---- Size -----------------------------------------------------------------------------------------------

std::string repeated(std::string_view text, size_t times) {
  std::string out;
  for (size_t i = 0; i < times; ++i) out += text;
  return out;
}

TEST(Uniformity, LongFunctionsAndDeepNestsAreAnalysed) {
  EXPECT_EQ(analysis_of(kernel("var x = 0;" + repeated("if (i == 0) { x += 1; } else { x -= 1; }", 5000))), "");
  EXPECT_EQ(analysis_of(kernel("var x = 0;" + repeated("loop { if (u.x > 0) { break; } x = x + 1; ", 40) +
                               repeated("}", 40) + "if (x > 0) { workgroupBarrier(); }")),
            "");
  std::string many = "var k = 0;";
  for (int v = 0; v < 500; ++v) many += "var x" + std::to_string(v) + " = 0;";
  many += "loop { k++; if (k > u.x) { break; }";
  for (int v = 0; v < 500; ++v) many += "x" + std::to_string(v) + "++; if (ro[k] > 0) { break; }";
  many += "} if (x499 > 0) { workgroupBarrier(); }";
  EXPECT_EQ(analysis_of(kernel(many)), "");
}

}  // namespace
}  // namespace kem::wgsl::sem
