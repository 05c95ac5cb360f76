@group(0) @binding(0) var<storage> a: array<u32>;
fn f() {
  let n = arrayLength(a);
}
