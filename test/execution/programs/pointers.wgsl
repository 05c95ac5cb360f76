//! buffer 2: 28 zeros
//! buffer 3: 21 zeros
//! expect: 1 3 31009 45510 56 8 2 86 9
struct In { a: array<u32, 4>, v: vec3<u32> }

struct S { x: u32, in: In, ins: array<In, 2> }
@group(0) @binding(1) var<storage, read_write> output: array<u32>;
@group(0) @binding(2) var<storage, read_write> buf: S;
@group(0) @binding(3) var<storage, read_write> rt: array<In>;
var<workgroup> wg: S;
var<private> pv: S;

fn inc(p: ptr<storage, array<u32, 4>, read_write>, i: u32) -> u32 {
  (*p)[i] += 1u;
  return p[i];
}

fn incw(p: ptr<workgroup, In>, i: u32) {
  p.a[i] = i + 7u;
  p.v.y = 3u;
}

fn incp(p: ptr<private, In>, i: u32) {
  p.a[i] = i + 9u;
  p.v[i] = 4u;
  incp2(&p.a, i);
}

fn incp2(p: ptr<private, array<u32,4>>, i: u32) { (*p)[i+1u] = 55u; }

fn incf(p: ptr<function, array<u32,4>>, q: ptr<function, u32>) {
  p[1] = *q;
  *q = 6u;
}

fn len(p: ptr<storage, array<In>, read_write>) -> u32 { return arrayLength(p); }

fn deep(p: ptr<storage, In, read_write>, k: u32) -> u32 {
  let q = &p.a;
  let r = &(*q)[k];
  *r = 40u + k;
  return *r;
}

@compute @workgroup_size(1) fn main() {
  output[0] = inc(&buf.in.a, 2u);
  output[1] = inc(&buf.ins[1].a, 1u) + inc(&buf.ins[1].a, 1u);
  incw(&wg.in, 2u);
  incw(&wg.ins[1], 3u);
  output[2] = wg.in.a[2] + wg.ins[1].a[3]*100u + wg.ins[1].v.y * 10000u;
  incp(&pv.ins[0], 1u);
  output[3] = pv.ins[0].a[1] + pv.ins[0].a[2]*100u + pv.ins[0].v.y*10000u;
  var l: S;
  var z = 5u;
  incf(&l.in.a, &z);
  output[4] = l.in.a[1]*10u + z;
  var y = 2u;
  incf(&l.ins[z - 5u].a, &y);
  output[5] = l.ins[1].a[1] + y;
  output[6] = len(&rt);
  output[7] = deep(&rt[1], 3u) + rt[1].a[3];
  let idx = output[6];
  let pp = &rt[idx - 2u].v;
  (*pp).z = 9u;
  output[8] = rt[0].v.z;
}
