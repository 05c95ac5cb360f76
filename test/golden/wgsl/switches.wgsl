@group(0) @binding(0) var<storage, read_write> data: array<i32>;

fn choose(x: i32) -> i32 {
  switch (x) {
    case -2147483648, 1: {
      return 1;
    }
    case 2, default, 3: {
      if (data[0] > 4) {
        break;
      }
      return 2;
    }
  }
  return 3;
}

@compute @workgroup_size(1)
fn main() {
  for (var i = 0; i < 4; i++) {
    switch (u32(data[i])) {
      default: {
        data[i] = choose(i);
      }
      case 7u: {
        continue;
      }
      case 8u: {
      }
    }
  }
}
