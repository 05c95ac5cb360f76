@group(0) @binding(0) var<storage, read_write> data: array<u32>;

fn search(n: u32) -> u32 {
  loop {
    if (data[n] == 3) {
      return n;
    }
  }
}

@compute @workgroup_size(1)
fn main() {
  var sum = 0u;
  for (var i = 0u; i < 10; i++) {
    if (data[i] == 0) {
      continue;
    }
    var fresh: u32;
    fresh += data[i];
    sum += fresh;
  }
  while (sum > 100) {
    sum -= 7;
  }
  loop {
    let step = data[sum];
    if (step == 9) {
      continue;
    }
    if (step > 20) {
      break;
    }
    continuing {
      sum += step;
      break if sum > 50;
    }
  }
  // The continue stands in a switch, so the continuing block with its break moves to the start.
  loop {
    var seen = data[sum + 1];
    switch (seen) {
      case 1: {
        continue;
      }
      case 2: {
        break;
      }
      default: {
        seen++;
      }
    }
    sum += 2;
    continuing {
      sum += seen;
      break if sum > 200;
    }
  }
  data[0] = sum + search(1);
}
