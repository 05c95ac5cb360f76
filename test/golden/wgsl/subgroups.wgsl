enable subgroups;
@group(0) @binding(0) var<storage, read_write> u: array<vec4<u32>>;

@compute @workgroup_size(32)
fn main(@builtin(subgroup_invocation_id) lane: u32, @builtin(subgroup_size) size: u32) {
  let x = u[0].x + lane;
  u[1] = vec4(subgroupAdd(x), subgroupMul(x), subgroupMin(x), subgroupMax(x));
  u[2] = vec4(subgroupAnd(x), subgroupOr(x), subgroupXor(x), subgroupExclusiveAdd(x));
  u[3] = vec4(subgroupInclusiveAdd(x), subgroupExclusiveMul(x), subgroupInclusiveMul(x), subgroupBroadcast(x, 3));
  u[4] = subgroupBallot(x > 3) + vec4(subgroupBroadcastFirst(x));
  u[5] = vec4(subgroupShuffle(x, lane ^ 1), subgroupShuffleXor(x, 1), subgroupShuffleUp(x, 1), subgroupShuffleDown(x, 1));
  u[6] = vec4(u32(subgroupElect()), u32(subgroupAll(x > 1)), u32(subgroupAny(x > 1)), size);
  u[7] = vec4(quadBroadcast(x, 1), quadSwapX(x), quadSwapY(x), quadSwapDiagonal(x));
}
