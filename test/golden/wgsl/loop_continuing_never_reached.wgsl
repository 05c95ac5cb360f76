// A continuing block that uses what is declared where control never comes.
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@compute @workgroup_size(1) fn main() {
  var sum = data[0];
  loop {
    if sum > 5u { break; }
    loop {
      sum += 1u;
      break;
      let step = sum * 2u;
      if step == 9u { continue; }
      continuing {
        sum += step;
        break if sum > 50u;
      }
    }
    data[sum] = 1u;
    continuing {
      sum += 1u;
    }
  }
  data[0] = sum;
}
