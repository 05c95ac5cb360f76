//! misread_loop_exits
// Exits before and behind the step of a loop's variable: the latter compare with something that no compiler knows.
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@compute @workgroup_size(1) fn main() {
  var i = 8u;
  loop {
    i -= 1u;
    if i > 7u { break; }
    data[i] += 1u;
  }
  for (var k = 0u; k < 8u; k++) {
    if k == 3u { break; }
    data[k] += 2u;
  }
  var n = 5i;
  loop {
    let next = n + 1i;
    if 6i > next || data[0] == 3u { break; }
    n = next;
    if n == i32(data[1]) { return; }
  }
  var m = 0u;
  loop {
    data[m] = 7u;
    continuing { m += 1u; break if m == 1u; }
  }
}
