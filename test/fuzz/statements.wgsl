struct Pair { a: i32, @align(16) b: vec3<f32>, @size(32) c: atomic<u32> }
@group(0) @binding(0) var<storage, read_write> pairs: array<Pair>;
@group(1) @binding(0) var<uniform> bounds: array<vec4<u32>, 2>;
@must_use fn next(p: ptr<function, i32>, q: ptr<storage, array<Pair>, read_write>) -> i32 {
  *p += (*q)[0].a;
  q[1].b.x -= f32(*p);
  return -*p & ~1;
}
fn last(x: i32) -> i32 { if x < 0 { return 1; } else if x > 3 { return 2; } else { return 3; } }
@compute @workgroup_size(4, 2) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  var i = 0;
  loop {
    if i >= 10 { break; }
    for (var j = i; j < i32(bounds[1].w); j++) { if j % 2 == 0 { continue; } while true { break; } }
    _ = next(&i, &pairs);
    let old = atomicCompareExchangeWeak(&pairs[id.x].c, 1, 2).old_value >> 3u;
    continuing { i++; break if old == 4u || last(i) == 2; }
  }
  let p = &pairs[id.y].b;
  (*p).y = (*p)[id.z];
  { var p = bounds[0].xy; p.y ^= p.x; pairs[0].a = i32(p.y) / 0x7fffffff; }
}
