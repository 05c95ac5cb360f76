//! buffer 2: 6 zeros
//! expect: 0 5 -2 -2 -2 9 9 8 11 244 77 1 88 0 0 -5 -3 -9 2147483638 6 7 1 -1 3
struct A { u: atomic<u32>, i: atomic<i32>, arr: array<atomic<u32>, 4> }
@group(0) @binding(1) var<storage, read_write> output: array<u32>;
@group(0) @binding(2) var<storage, read_write> s: A;
var<workgroup> w: A;

@compute @workgroup_size(1) fn main() {
  var n = 0u;
  output[n] = atomicAdd(&s.u, 5u);
  n++;
  output[n] = atomicSub(&s.u, 7u);
  n++;
  output[n] = atomicLoad(&s.u);
  n++;
  output[n] = atomicMax(&s.u, 3u);
  n++;
  output[n] = atomicMin(&s.u, 9u);
  n++;
  output[n] = atomicLoad(&s.u);
  n++;
  output[n] = atomicAnd(&s.u, 12u);
  n++;
  output[n] = atomicOr(&s.u, 3u);
  n++;
  output[n] = atomicXor(&s.u, 255u);
  n++;
  output[n] = atomicExchange(&s.u, 77u);
  n++;
  let c = atomicCompareExchangeWeak(&s.u, 77u, 88u);
  output[n] = c.old_value;
  n++;
  output[n] = select(0u,1u,c.exchanged);
  n++;
  let d = atomicCompareExchangeWeak(&s.u, 77u, 99u);
  output[n] = d.old_value;
  n++;
  output[n] = select(0u,1u,d.exchanged);
  n++;
  output[n] = bitcast<u32>(atomicAdd(&s.i, -5));
  n++;
  output[n] = bitcast<u32>(atomicMax(&s.i, -3));
  n++;
  output[n] = bitcast<u32>(atomicMin(&s.i, -9));
  n++;
  output[n]=bitcast<u32>(atomicSub(&s.i, -2147483647));
  n++;
  output[n]=bitcast<u32>(atomicLoad(&s.i));
  n++;
  atomicStore(&w.arr[2], 6u);
  output[n] = atomicAdd(&w.arr[n % 4u - n % 4u + 2u], 1u);
  n++;
  output[n] = atomicLoad(&w.arr[2]) + atomicLoad(&w.u);
  n++;
  let e = atomicCompareExchangeWeak(&w.i, 0, -1).exchanged;
  output[n] = select(0u,1u,e);
  n++;
  output[n] = bitcast<u32>(atomicExchange(&w.i, 3));
  n++;
  let p = &w.arr;
  let q = &(*p)[1];
  atomicStore(q, 3u);
  output[n] = atomicLoad(&w.arr[1]);
  n++;
}
