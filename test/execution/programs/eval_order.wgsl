//! expect: 7 123 321 321 321 123 11 45612 27 7 19 14 25 303 -1 89 3 123 2 5 56 223 3403
@group(0) @binding(1) var<storage, read_write> output: array<u32>;
var<private> log: u32 = 0u;

fn f(x: u32) -> u32 {
  log = log * 10u + x;
  return x;
}

fn g(p: ptr<function, u32>, x: u32) -> u32 {
  *p = *p * 10u + x;
  return *p;
}

struct S { a: u32, b: u32 }

fn idx(x: u32) -> u32 {
  log = log*10u + x;
  return x % 3u;
}

fn three(a: u32, b: u32, c: u32) -> u32 { return a*100u+b*10u+c; }

@compute @workgroup_size(1) fn main() {
  var n = 0u;
  output[n] = f(1u) + f(2u) * f(3u);
  n++;
  output[n] = log;
  n++;
  log = 0u;
  output[n] = three(f(3u), f(2u), f(1u));
  n++;
  output[n] = log;
  n++;
  log = 0u;
  let v = vec3(f(1u), f(2u), f(3u));
  output[n] = v.x+v.y*10u+v.z*100u;
  n++;
  output[n]=log;
  n++;
  log = 0u;
  var a = array(f(4u), f(5u), f(6u));
  output[n] = a[idx(1u)] + a[idx(2u)];
  n++;
  output[n] = log;
  n++;
  log = 0u;
  a[idx(2u)] = f(7u);
  output[n] = log;
  n++;
  output[n] = a[2];
  n++;
  log = 0u;
  a[idx(1u)] += f(9u);
  output[n] = log;
  n++;
  output[n] = a[1];
  n++;
  var q = 1u;
  let r = q + g(&q, 2u) + q;
  output[n] = r;
  n++;
  q = 1u;
  let r2 = g(&q, 3u) * q + g(&q, 4u);
  output[n] = r2;
  n++;
  log = 0u;
  let s = S(f(8u), f(9u));
  output[n] = s.a - s.b;
  n++;
  output[n] = log;
  n++;
  log = 0u;
  let t = (f(0u) == 1u && f(2u) == 2u) || (f(3u) == 3u || f(4u) == 4u);
  output[n] = log;
  n++;
  log = 0u;
  let u = select(f(1u), f(2u), f(3u) == 3u);
  output[n] = log;
  n++;
  output[n]=u;
  n++;
  var m = array<array<u32,2>,2>();
  m[idx(1u)][idx(3u)] = f(5u);
  output[n] = m[1][0];
  n++;
  q = 5u;
  q = q + g(&q, 1u);
  output[n] = q;
  n++;
  var arr = array<u32,3>(1u,2u,3u);
  q = 0u;
  arr[q] = g(&q, 2u);
  output[n] = arr[0]*100u+arr[1]*10u+arr[2];
  n++;
  q = 1u;
  arr[q] += g(&q, 2u);
  output[n] = arr[0]*1000u+arr[1]*100u+arr[2];
  n++;
}
