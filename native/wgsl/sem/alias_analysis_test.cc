#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "wgsl/sem/analysis_testing.h"
#include "wgsl/sem/validate.h"

namespace kem::wgsl::sem {
namespace {

using ::testing::HasSubstr;
using testing::Resolved;

std::string analysis_of(std::string text) {
  Resolved resolved(std::move(text));
  if (!resolved.ok()) return "does not resolve";
  Diagnostics diagnostics;
  validate_aliasing(resolved.module(), resolved.info(), diagnostics);
  return render(resolved.source(), diagnostics);
}

struct Case {
  std::string_view body, expected;
};

constexpr std::string_view kDeclarations = R"(
var<private> x: i32;
var<private> y: i32;
var<private> words: array<i32, 4>;
var<workgroup> count: atomic<i32>;
struct S { a: i32, b: i32 }
var<private> pair: S;
fn touch(p: ptr<private, i32>) { let q = p; }
fn read1(p: ptr<private, i32>) -> i32 { return *p; }
fn write1(p: ptr<private, i32>) { *p = 1; }
fn read2(p: ptr<private, i32>, q: ptr<private, i32>) -> i32 { return *p + *q; }
fn copy(p: ptr<private, i32>, q: ptr<private, i32>) { *p = *q; }
fn touch2(p: ptr<private, i32>, q: ptr<private, i32>) { *p = 1; let r = q; }
fn copy_through(p: ptr<private, i32>, q: ptr<private, i32>) { copy(q, p); }
fn x_read(p: ptr<private, i32>) -> i32 { return x + *p; }
fn x_written(p: ptr<private, i32>) { x = *p; }
fn x_read_written(p: ptr<private, i32>) { *p = x; }
fn x_only_written(p: ptr<private, i32>) { x = 1; }
fn x_written_below(p: ptr<private, i32>) -> i32 { write1(&x); return *p; }
fn x_discarded(p: ptr<private, i32>) { _ = x; *p = 1; }
fn local2(p: ptr<function, i32>, q: ptr<function, i32>) { *p += 1; *q += 1; }
fn increment(p: ptr<private, i32>) { x++; (*p)++; }
fn atomics(p: ptr<workgroup, atomic<i32>>) { atomicStore(&count, atomicLoad(p)); }
fn atomic_loads(p: ptr<workgroup, atomic<i32>>) -> i32 { return atomicLoad(&count) + atomicLoad(p); }
fn member(p: ptr<private, S>) { (*p).a = pair.b; }
var<private> vector: vec4i;
fn xy_read(p: ptr<private, vec4i>) { vector = vec4i(p.xy, 0, 0); }
fn three(p: ptr<private, i32>, q: ptr<private, i32>, r: ptr<private, i32>) { *p = 1; let s = q; _ = *r; }
)";

constexpr Case kCases[] = {
    // Two arguments.
    {"copy(&x, &y);", ""},
    {"copy(&x, &x);", "pointer arguments of 'copy' alias"},
    {"copy_through(&x, &x);", "pointer arguments of 'copy_through' alias"},
    {"copy_through(&x, &y);", ""},
    {"_ = read2(&x, &x);", ""},
    {"touch2(&x, &x);", ""},
    {"copy(&words[0], &words[1]);", "pointer arguments of 'copy' alias"},
    {"copy(&pair.a, &pair.b);", "pointer arguments of 'copy' alias"},
    {"let p = &x; copy(p, &x);", "pointer arguments of 'copy' alias"},
    {"let p = &x; let q = &*p; copy(&y, q);", ""},
    {"var a = 0; local2(&a, &a);", "pointer arguments of 'local2' alias"},
    {"var a = 0; var b = 0; local2(&a, &b);", ""},
    {"three(&x, &x, &y);", ""},
    {"three(&x, &y, &x);", "pointer arguments of 'three' alias"},
    // An argument and a module-scope variable.
    {"_ = x_read(&x);", ""},
    {"x_written(&x);", "pointer to 'x' aliases the variable, which 'x_written' writes"},
    {"x_written(&y);", ""},
    {"x_read_written(&x);", "pointer to 'x' aliases the variable, which 'x_read_written' reads"},
    {"x_only_written(&x);", ""},
    {"_ = x_written_below(&x);", "which 'x_written_below' writes"},
    {"x_discarded(&x);", "which 'x_discarded' reads"},
    {"let p = &x; x_written(p);", "pointer to 'x' aliases"},
    {"increment(&x);", "which 'increment' writes"},
    {"atomics(&count);", "which 'atomics' writes"},
    {"_ = atomic_loads(&count);", ""},
    {"member(&pair);", "which 'member' reads"},
    {"xy_read(&vector);", "which 'xy_read' writes"},
    {"touch(&x); _ = read1(&x); write1(&x);", ""},
};

TEST(AliasAnalysis, Calls) {
  for (const Case& c : kCases) {
    const std::string said = analysis_of(std::string(kDeclarations) + "fn main() {" + std::string(c.body) + "}");
    if (c.expected.empty()) {
      EXPECT_EQ(said, "") << c.body;
    } else {
      EXPECT_THAT(said, HasSubstr(std::string(c.expected))) << c.body;
    }
  }
}

TEST(AliasAnalysis, AccessesThroughAParameterCountForTheCaller) {
  constexpr std::string_view kModule = R"(
var<private> x: i32;
fn inner(p: ptr<private, i32>) { *p = x; }
fn outer(p: ptr<private, i32>) { inner(p); }
fn main() { outer(&x); }
)";
  EXPECT_THAT(analysis_of(std::string(kModule)), HasSubstr("pointer to 'x' aliases the variable, which 'outer' reads"));
}

TEST(AliasAnalysis, TheDiagnosticShowsBothArguments) {
  EXPECT_EQ(analysis_of(R"(fn f(p: ptr<function, i32>, q: ptr<function, i32>) { *p = *q; }
fn main() {
  var a = 0;
  f(&a, &a);
}
)"),
            R"(kernel:4:9 error: pointer arguments of 'f' alias, and one of them is written
    f(&a, &a);
          ^^
kernel:4:5 note: the other argument with the same root
    f(&a, &a);
      ^^
)");
}

}  // namespace
}  // namespace kem::wgsl::sem
