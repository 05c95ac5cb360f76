// Workgroup memory starts as zeros; barriers; uniform loads; atomics.
struct Bin {
  count: atomic<u32>,
  lowest: atomic<i32>,
  items: array<vec2<f32>, 5>,
}
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@group(0) @binding(1) var<storage, read_write> totals: array<atomic<u32>, 4>;
var<workgroup> bins: array<Bin, 3>;
var<workgroup> flags: array<array<bool, 7>, 40>;
var<workgroup> tile: array<u32, 32>;
var<workgroup> limit: u32;

@compute @workgroup_size(32)
fn main(@builtin(local_invocation_index) local: u32) {
  tile[local] = out[local];
  flags[local][local % 7] = tile[31 - local] > 3;
  if (local == 0) {
    limit = 20;
  }
  storageBarrier();
  let n = workgroupUniformLoad(&limit);
  let bin = &bins[local % 3];
  let before = atomicAdd(&bin.count, 1);
  _ = atomicMin(&bin.lowest, -i32(local));
  bin.items[local % 5].x = 1;
  workgroupBarrier();
  if (local < n) {
    atomicSub(&totals[0], before);
    atomicMax(&totals[1], atomicLoad(&bin.count));
    atomicOr(&totals[2], 1u << local);
    atomicXor(&totals[3], atomicAnd(&totals[2], 0xff));
    atomicStore(&bin.lowest, atomicExchange(&bin.lowest, 4));
    let r = atomicCompareExchangeWeak(&totals[0], 5, 6);
    out[local] = r.old_value + u32(r.exchanged) + u32(flags[local][0]);
  }
}
