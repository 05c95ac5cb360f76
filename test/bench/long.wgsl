// A long module: many functions of the kind that kernels are made of.
struct Scene {
  size: vec2u,
  frames: u32,
  gain: f32,
}
@group(0) @binding(0) var<storage, read> source: array<vec4f>;
@group(0) @binding(1) var<storage, read_write> result: array<vec4f>;
@group(0) @binding(2) var<uniform> scene: Scene;

// Light that falls from around onto one point: part 0 of the sum.
struct Sample0 {
  position: vec3f,
  weight: f32,
  colour: vec3f,
  seed: u32,
}

fn next_random_0(state: ptr<function, u32>) -> f32 {
  *state = (*state ^ 61u) ^ (*state >> 16u);
  *state = *state * 9u;
  *state ^= *state >> 4u;
  *state *= 0x27d4eb2du;
  return f32(*state >> 8u) / 16777216.0;
}

fn gather_0(origin: vec3f, normal: vec3f, first_seed: u32) -> vec3f {
  var seed = first_seed + 0u;
  var total = vec3f(0.0, 0.0, 0.0);
  for (var i = 0u; i < scene.frames; i++) {
    var sample: Sample0;
    sample.position = origin + normal * next_random_0(&seed);
    sample.weight = max(dot(normalize(sample.position), normal), 0.0);
    let index = min(u32(sample.position.x * 17.0 + sample.position.y), scene.size.x - 1u);
    if sample.weight > 0.001 && index != 0u {
      sample.colour = source[index].rgb * scene.gain;
      total += sample.colour * sample.weight / (1.0 + length(sample.position - origin));
    } else {
      total *= 0.5;  // in the dark
    }
  }
  return clamp(total, vec3f(), vec3f(1.0));
}

// Light that falls from around onto one point: part 1 of the sum.
struct Sample1 {
  position: vec3f,
  weight: f32,
  colour: vec3f,
  seed: u32,
}

fn next_random_1(state: ptr<function, u32>) -> f32 {
  *state = (*state ^ 61u) ^ (*state >> 16u);
  *state = *state * 9u;
  *state ^= *state >> 4u;
  *state *= 0x27d4eb2du;
  return f32(*state >> 8u) / 16777216.0;
}

fn gather_1(origin: vec3f, normal: vec3f, first_seed: u32) -> vec3f {
  var seed = first_seed + 1u;
  var total = vec3f(0.0, 0.0, 0.0);
  for (var i = 0u; i < scene.frames; i++) {
    var sample: Sample1;
    sample.position = origin + normal * next_random_1(&seed);
    sample.weight = max(dot(normalize(sample.position), normal), 0.0);
    let index = min(u32(sample.position.x * 17.0 + sample.position.y), scene.size.x - 1u);
    if sample.weight > 0.001 && index != 0u {
      sample.colour = source[index].rgb * scene.gain;
      total += sample.colour * sample.weight / (1.0 + length(sample.position - origin));
    } else {
      total *= 0.5;  // in the dark
    }
  }
  return clamp(total, vec3f(), vec3f(1.0));
}

// Light that falls from around onto one point: part 2 of the sum.
struct Sample2 {
  position: vec3f,
  weight: f32,
  colour: vec3f,
  seed: u32,
}

fn next_random_2(state: ptr<function, u32>) -> f32 {
  *state = (*state ^ 61u) ^ (*state >> 16u);
  *state = *state * 9u;
  *state ^= *state >> 4u;
  *state *= 0x27d4eb2du;
  return f32(*state >> 8u) / 16777216.0;
}

fn gather_2(origin: vec3f, normal: vec3f, first_seed: u32) -> vec3f {
  var seed = first_seed + 2u;
  var total = vec3f(0.0, 0.0, 0.0);
  for (var i = 0u; i < scene.frames; i++) {
    var sample: Sample2;
    sample.position = origin + normal * next_random_2(&seed);
    sample.weight = max(dot(normalize(sample.position), normal), 0.0);
    let index = min(u32(sample.position.x * 17.0 + sample.position.y), scene.size.x - 1u);
    if sample.weight > 0.001 && index != 0u {
      sample.colour = source[index].rgb * scene.gain;
      total += sample.colour * sample.weight / (1.0 + length(sample.position - origin));
    } else {
      total *= 0.5;  // in the dark
    }
  }
  return clamp(total, vec3f(), vec3f(1.0));
}

// Light that falls from around onto one point: part 3 of the sum.
struct Sample3 {
  position: vec3f,
  weight: f32,
  colour: vec3f,
  seed: u32,
}

fn next_random_3(state: ptr<function, u32>) -> f32 {
  *state = (*state ^ 61u) ^ (*state >> 16u);
  *state = *state * 9u;
  *state ^= *state >> 4u;
  *state *= 0x27d4eb2du;
  return f32(*state >> 8u) / 16777216.0;
}

fn gather_3(origin: vec3f, normal: vec3f, first_seed: u32) -> vec3f {
  var seed = first_seed + 3u;
  var total = vec3f(0.0, 0.0, 0.0);
  for (var i = 0u; i < scene.frames; i++) {
    var sample: Sample3;
    sample.position = origin + normal * next_random_3(&seed);
    sample.weight = max(dot(normalize(sample.position), normal), 0.0);
    let index = min(u32(sample.position.x * 17.0 + sample.position.y), scene.size.x - 1u);
    if sample.weight > 0.001 && index != 0u {
      sample.colour = source[index].rgb * scene.gain;
      total += sample.colour * sample.weight / (1.0 + length(sample.position - origin));
    } else {
      total *= 0.5;  // in the dark
    }
  }
  return clamp(total, vec3f(), vec3f(1.0));
}

// Light that falls from around onto one point: part 4 of the sum.
struct Sample4 {
  position: vec3f,
  weight: f32,
  colour: vec3f,
  seed: u32,
}

fn next_random_4(state: ptr<function, u32>) -> f32 {
  *state = (*state ^ 61u) ^ (*state >> 16u);
  *state = *state * 9u;
  *state ^= *state >> 4u;
  *state *= 0x27d4eb2du;
  return f32(*state >> 8u) / 16777216.0;
}

fn gather_4(origin: vec3f, normal: vec3f, first_seed: u32) -> vec3f {
  var seed = first_seed + 4u;
  var total = vec3f(0.0, 0.0, 0.0);
  for (var i = 0u; i < scene.frames; i++) {
    var sample: Sample4;
    sample.position = origin + normal * next_random_4(&seed);
    sample.weight = max(dot(normalize(sample.position), normal), 0.0);
    let index = min(u32(sample.position.x * 17.0 + sample.position.y), scene.size.x - 1u);
    if sample.weight > 0.001 && index != 0u {
      sample.colour = source[index].rgb * scene.gain;
      total += sample.colour * sample.weight / (1.0 + length(sample.position - origin));
    } else {
      total *= 0.5;  // in the dark
    }
  }
  return clamp(total, vec3f(), vec3f(1.0));
}

// Light that falls from around onto one point: part 5 of the sum.
struct Sample5 {
  position: vec3f,
  weight: f32,
  colour: vec3f,
  seed: u32,
}

fn next_random_5(state: ptr<function, u32>) -> f32 {
  *state = (*state ^ 61u) ^ (*state >> 16u);
  *state = *state * 9u;
  *state ^= *state >> 4u;
  *state *= 0x27d4eb2du;
  return f32(*state >> 8u) / 16777216.0;
}

fn gather_5(origin: vec3f, normal: vec3f, first_seed: u32) -> vec3f {
  var seed = first_seed + 5u;
  var total = vec3f(0.0, 0.0, 0.0);
  for (var i = 0u; i < scene.frames; i++) {
    var sample: Sample5;
    sample.position = origin + normal * next_random_5(&seed);
    sample.weight = max(dot(normalize(sample.position), normal), 0.0);
    let index = min(u32(sample.position.x * 17.0 + sample.position.y), scene.size.x - 1u);
    if sample.weight > 0.001 && index != 0u {
      sample.colour = source[index].rgb * scene.gain;
      total += sample.colour * sample.weight / (1.0 + length(sample.position - origin));
    } else {
      total *= 0.5;  // in the dark
    }
  }
  return clamp(total, vec3f(), vec3f(1.0));
}

// Light that falls from around onto one point: part 6 of the sum.
struct Sample6 {
  position: vec3f,
  weight: f32,
  colour: vec3f,
  seed: u32,
}

fn next_random_6(state: ptr<function, u32>) -> f32 {
  *state = (*state ^ 61u) ^ (*state >> 16u);
  *state = *state * 9u;
  *state ^= *state >> 4u;
  *state *= 0x27d4eb2du;
  return f32(*state >> 8u) / 16777216.0;
}

fn gather_6(origin: vec3f, normal: vec3f, first_seed: u32) -> vec3f {
  var seed = first_seed + 6u;
  var total = vec3f(0.0, 0.0, 0.0);
  for (var i = 0u; i < scene.frames; i++) {
    var sample: Sample6;
    sample.position = origin + normal * next_random_6(&seed);
    sample.weight = max(dot(normalize(sample.position), normal), 0.0);
    let index = min(u32(sample.position.x * 17.0 + sample.position.y), scene.size.x - 1u);
    if sample.weight > 0.001 && index != 0u {
      sample.colour = source[index].rgb * scene.gain;
      total += sample.colour * sample.weight / (1.0 + length(sample.position - origin));
    } else {
      total *= 0.5;  // in the dark
    }
  }
  return clamp(total, vec3f(), vec3f(1.0));
}

// Light that falls from around onto one point: part 7 of the sum.
struct Sample7 {
  position: vec3f,
  weight: f32,
  colour: vec3f,
  seed: u32,
}

fn next_random_7(state: ptr<function, u32>) -> f32 {
  *state = (*state ^ 61u) ^ (*state >> 16u);
  *state = *state * 9u;
  *state ^= *state >> 4u;
  *state *= 0x27d4eb2du;
  return f32(*state >> 8u) / 16777216.0;
}

fn gather_7(origin: vec3f, normal: vec3f, first_seed: u32) -> vec3f {
  var seed = first_seed + 7u;
  var total = vec3f(0.0, 0.0, 0.0);
  for (var i = 0u; i < scene.frames; i++) {
    var sample: Sample7;
    sample.position = origin + normal * next_random_7(&seed);
    sample.weight = max(dot(normalize(sample.position), normal), 0.0);
    let index = min(u32(sample.position.x * 17.0 + sample.position.y), scene.size.x - 1u);
    if sample.weight > 0.001 && index != 0u {
      sample.colour = source[index].rgb * scene.gain;
      total += sample.colour * sample.weight / (1.0 + length(sample.position - origin));
    } else {
      total *= 0.5;  // in the dark
    }
  }
  return clamp(total, vec3f(), vec3f(1.0));
}

// Light that falls from around onto one point: part 8 of the sum.
struct Sample8 {
  position: vec3f,
  weight: f32,
  colour: vec3f,
  seed: u32,
}

fn next_random_8(state: ptr<function, u32>) -> f32 {
  *state = (*state ^ 61u) ^ (*state >> 16u);
  *state = *state * 9u;
  *state ^= *state >> 4u;
  *state *= 0x27d4eb2du;
  return f32(*state >> 8u) / 16777216.0;
}

fn gather_8(origin: vec3f, normal: vec3f, first_seed: u32) -> vec3f {
  var seed = first_seed + 8u;
  var total = vec3f(0.0, 0.0, 0.0);
  for (var i = 0u; i < scene.frames; i++) {
    var sample: Sample8;
    sample.position = origin + normal * next_random_8(&seed);
    sample.weight = max(dot(normalize(sample.position), normal), 0.0);
    let index = min(u32(sample.position.x * 17.0 + sample.position.y), scene.size.x - 1u);
    if sample.weight > 0.001 && index != 0u {
      sample.colour = source[index].rgb * scene.gain;
      total += sample.colour * sample.weight / (1.0 + length(sample.position - origin));
    } else {
      total *= 0.5;  // in the dark
    }
  }
  return clamp(total, vec3f(), vec3f(1.0));
}

// Light that falls from around onto one point: part 9 of the sum.
struct Sample9 {
  position: vec3f,
  weight: f32,
  colour: vec3f,
  seed: u32,
}

fn next_random_9(state: ptr<function, u32>) -> f32 {
  *state = (*state ^ 61u) ^ (*state >> 16u);
  *state = *state * 9u;
  *state ^= *state >> 4u;
  *state *= 0x27d4eb2du;
  return f32(*state >> 8u) / 16777216.0;
}

fn gather_9(origin: vec3f, normal: vec3f, first_seed: u32) -> vec3f {
  var seed = first_seed + 9u;
  var total = vec3f(0.0, 0.0, 0.0);
  for (var i = 0u; i < scene.frames; i++) {
    var sample: Sample9;
    sample.position = origin + normal * next_random_9(&seed);
    sample.weight = max(dot(normalize(sample.position), normal), 0.0);
    let index = min(u32(sample.position.x * 17.0 + sample.position.y), scene.size.x - 1u);
    if sample.weight > 0.001 && index != 0u {
      sample.colour = source[index].rgb * scene.gain;
      total += sample.colour * sample.weight / (1.0 + length(sample.position - origin));
    } else {
      total *= 0.5;  // in the dark
    }
  }
  return clamp(total, vec3f(), vec3f(1.0));
}

// Light that falls from around onto one point: part 10 of the sum.
struct Sample10 {
  position: vec3f,
  weight: f32,
  colour: vec3f,
  seed: u32,
}

fn next_random_10(state: ptr<function, u32>) -> f32 {
  *state = (*state ^ 61u) ^ (*state >> 16u);
  *state = *state * 9u;
  *state ^= *state >> 4u;
  *state *= 0x27d4eb2du;
  return f32(*state >> 8u) / 16777216.0;
}

fn gather_10(origin: vec3f, normal: vec3f, first_seed: u32) -> vec3f {
  var seed = first_seed + 10u;
  var total = vec3f(0.0, 0.0, 0.0);
  for (var i = 0u; i < scene.frames; i++) {
    var sample: Sample10;
    sample.position = origin + normal * next_random_10(&seed);
    sample.weight = max(dot(normalize(sample.position), normal), 0.0);
    let index = min(u32(sample.position.x * 17.0 + sample.position.y), scene.size.x - 1u);
    if sample.weight > 0.001 && index != 0u {
      sample.colour = source[index].rgb * scene.gain;
      total += sample.colour * sample.weight / (1.0 + length(sample.position - origin));
    } else {
      total *= 0.5;  // in the dark
    }
  }
  return clamp(total, vec3f(), vec3f(1.0));
}

// Light that falls from around onto one point: part 11 of the sum.
struct Sample11 {
  position: vec3f,
  weight: f32,
  colour: vec3f,
  seed: u32,
}

fn next_random_11(state: ptr<function, u32>) -> f32 {
  *state = (*state ^ 61u) ^ (*state >> 16u);
  *state = *state * 9u;
  *state ^= *state >> 4u;
  *state *= 0x27d4eb2du;
  return f32(*state >> 8u) / 16777216.0;
}

fn gather_11(origin: vec3f, normal: vec3f, first_seed: u32) -> vec3f {
  var seed = first_seed + 11u;
  var total = vec3f(0.0, 0.0, 0.0);
  for (var i = 0u; i < scene.frames; i++) {
    var sample: Sample11;
    sample.position = origin + normal * next_random_11(&seed);
    sample.weight = max(dot(normalize(sample.position), normal), 0.0);
    let index = min(u32(sample.position.x * 17.0 + sample.position.y), scene.size.x - 1u);
    if sample.weight > 0.001 && index != 0u {
      sample.colour = source[index].rgb * scene.gain;
      total += sample.colour * sample.weight / (1.0 + length(sample.position - origin));
    } else {
      total *= 0.5;  // in the dark
    }
  }
  return clamp(total, vec3f(), vec3f(1.0));
}

// Light that falls from around onto one point: part 12 of the sum.
struct Sample12 {
  position: vec3f,
  weight: f32,
  colour: vec3f,
  seed: u32,
}

fn next_random_12(state: ptr<function, u32>) -> f32 {
  *state = (*state ^ 61u) ^ (*state >> 16u);
  *state = *state * 9u;
  *state ^= *state >> 4u;
  *state *= 0x27d4eb2du;
  return f32(*state >> 8u) / 16777216.0;
}

fn gather_12(origin: vec3f, normal: vec3f, first_seed: u32) -> vec3f {
  var seed = first_seed + 12u;
  var total = vec3f(0.0, 0.0, 0.0);
  for (var i = 0u; i < scene.frames; i++) {
    var sample: Sample12;
    sample.position = origin + normal * next_random_12(&seed);
    sample.weight = max(dot(normalize(sample.position), normal), 0.0);
    let index = min(u32(sample.position.x * 17.0 + sample.position.y), scene.size.x - 1u);
    if sample.weight > 0.001 && index != 0u {
      sample.colour = source[index].rgb * scene.gain;
      total += sample.colour * sample.weight / (1.0 + length(sample.position - origin));
    } else {
      total *= 0.5;  // in the dark
    }
  }
  return clamp(total, vec3f(), vec3f(1.0));
}

// Light that falls from around onto one point: part 13 of the sum.
struct Sample13 {
  position: vec3f,
  weight: f32,
  colour: vec3f,
  seed: u32,
}

fn next_random_13(state: ptr<function, u32>) -> f32 {
  *state = (*state ^ 61u) ^ (*state >> 16u);
  *state = *state * 9u;
  *state ^= *state >> 4u;
  *state *= 0x27d4eb2du;
  return f32(*state >> 8u) / 16777216.0;
}

fn gather_13(origin: vec3f, normal: vec3f, first_seed: u32) -> vec3f {
  var seed = first_seed + 13u;
  var total = vec3f(0.0, 0.0, 0.0);
  for (var i = 0u; i < scene.frames; i++) {
    var sample: Sample13;
    sample.position = origin + normal * next_random_13(&seed);
    sample.weight = max(dot(normalize(sample.position), normal), 0.0);
    let index = min(u32(sample.position.x * 17.0 + sample.position.y), scene.size.x - 1u);
    if sample.weight > 0.001 && index != 0u {
      sample.colour = source[index].rgb * scene.gain;
      total += sample.colour * sample.weight / (1.0 + length(sample.position - origin));
    } else {
      total *= 0.5;  // in the dark
    }
  }
  return clamp(total, vec3f(), vec3f(1.0));
}

// Light that falls from around onto one point: part 14 of the sum.
struct Sample14 {
  position: vec3f,
  weight: f32,
  colour: vec3f,
  seed: u32,
}

fn next_random_14(state: ptr<function, u32>) -> f32 {
  *state = (*state ^ 61u) ^ (*state >> 16u);
  *state = *state * 9u;
  *state ^= *state >> 4u;
  *state *= 0x27d4eb2du;
  return f32(*state >> 8u) / 16777216.0;
}

fn gather_14(origin: vec3f, normal: vec3f, first_seed: u32) -> vec3f {
  var seed = first_seed + 14u;
  var total = vec3f(0.0, 0.0, 0.0);
  for (var i = 0u; i < scene.frames; i++) {
    var sample: Sample14;
    sample.position = origin + normal * next_random_14(&seed);
    sample.weight = max(dot(normalize(sample.position), normal), 0.0);
    let index = min(u32(sample.position.x * 17.0 + sample.position.y), scene.size.x - 1u);
    if sample.weight > 0.001 && index != 0u {
      sample.colour = source[index].rgb * scene.gain;
      total += sample.colour * sample.weight / (1.0 + length(sample.position - origin));
    } else {
      total *= 0.5;  // in the dark
    }
  }
  return clamp(total, vec3f(), vec3f(1.0));
}

// Light that falls from around onto one point: part 15 of the sum.
struct Sample15 {
  position: vec3f,
  weight: f32,
  colour: vec3f,
  seed: u32,
}

fn next_random_15(state: ptr<function, u32>) -> f32 {
  *state = (*state ^ 61u) ^ (*state >> 16u);
  *state = *state * 9u;
  *state ^= *state >> 4u;
  *state *= 0x27d4eb2du;
  return f32(*state >> 8u) / 16777216.0;
}

fn gather_15(origin: vec3f, normal: vec3f, first_seed: u32) -> vec3f {
  var seed = first_seed + 15u;
  var total = vec3f(0.0, 0.0, 0.0);
  for (var i = 0u; i < scene.frames; i++) {
    var sample: Sample15;
    sample.position = origin + normal * next_random_15(&seed);
    sample.weight = max(dot(normalize(sample.position), normal), 0.0);
    let index = min(u32(sample.position.x * 17.0 + sample.position.y), scene.size.x - 1u);
    if sample.weight > 0.001 && index != 0u {
      sample.colour = source[index].rgb * scene.gain;
      total += sample.colour * sample.weight / (1.0 + length(sample.position - origin));
    } else {
      total *= 0.5;  // in the dark
    }
  }
  return clamp(total, vec3f(), vec3f(1.0));
}

// Light that falls from around onto one point: part 16 of the sum.
struct Sample16 {
  position: vec3f,
  weight: f32,
  colour: vec3f,
  seed: u32,
}

fn next_random_16(state: ptr<function, u32>) -> f32 {
  *state = (*state ^ 61u) ^ (*state >> 16u);
  *state = *state * 9u;
  *state ^= *state >> 4u;
  *state *= 0x27d4eb2du;
  return f32(*state >> 8u) / 16777216.0;
}

fn gather_16(origin: vec3f, normal: vec3f, first_seed: u32) -> vec3f {
  var seed = first_seed + 16u;
  var total = vec3f(0.0, 0.0, 0.0);
  for (var i = 0u; i < scene.frames; i++) {
    var sample: Sample16;
    sample.position = origin + normal * next_random_16(&seed);
    sample.weight = max(dot(normalize(sample.position), normal), 0.0);
    let index = min(u32(sample.position.x * 17.0 + sample.position.y), scene.size.x - 1u);
    if sample.weight > 0.001 && index != 0u {
      sample.colour = source[index].rgb * scene.gain;
      total += sample.colour * sample.weight / (1.0 + length(sample.position - origin));
    } else {
      total *= 0.5;  // in the dark
    }
  }
  return clamp(total, vec3f(), vec3f(1.0));
}

// Light that falls from around onto one point: part 17 of the sum.
struct Sample17 {
  position: vec3f,
  weight: f32,
  colour: vec3f,
  seed: u32,
}

fn next_random_17(state: ptr<function, u32>) -> f32 {
  *state = (*state ^ 61u) ^ (*state >> 16u);
  *state = *state * 9u;
  *state ^= *state >> 4u;
  *state *= 0x27d4eb2du;
  return f32(*state >> 8u) / 16777216.0;
}

fn gather_17(origin: vec3f, normal: vec3f, first_seed: u32) -> vec3f {
  var seed = first_seed + 17u;
  var total = vec3f(0.0, 0.0, 0.0);
  for (var i = 0u; i < scene.frames; i++) {
    var sample: Sample17;
    sample.position = origin + normal * next_random_17(&seed);
    sample.weight = max(dot(normalize(sample.position), normal), 0.0);
    let index = min(u32(sample.position.x * 17.0 + sample.position.y), scene.size.x - 1u);
    if sample.weight > 0.001 && index != 0u {
      sample.colour = source[index].rgb * scene.gain;
      total += sample.colour * sample.weight / (1.0 + length(sample.position - origin));
    } else {
      total *= 0.5;  // in the dark
    }
  }
  return clamp(total, vec3f(), vec3f(1.0));
}

// Light that falls from around onto one point: part 18 of the sum.
struct Sample18 {
  position: vec3f,
  weight: f32,
  colour: vec3f,
  seed: u32,
}

fn next_random_18(state: ptr<function, u32>) -> f32 {
  *state = (*state ^ 61u) ^ (*state >> 16u);
  *state = *state * 9u;
  *state ^= *state >> 4u;
  *state *= 0x27d4eb2du;
  return f32(*state >> 8u) / 16777216.0;
}

fn gather_18(origin: vec3f, normal: vec3f, first_seed: u32) -> vec3f {
  var seed = first_seed + 18u;
  var total = vec3f(0.0, 0.0, 0.0);
  for (var i = 0u; i < scene.frames; i++) {
    var sample: Sample18;
    sample.position = origin + normal * next_random_18(&seed);
    sample.weight = max(dot(normalize(sample.position), normal), 0.0);
    let index = min(u32(sample.position.x * 17.0 + sample.position.y), scene.size.x - 1u);
    if sample.weight > 0.001 && index != 0u {
      sample.colour = source[index].rgb * scene.gain;
      total += sample.colour * sample.weight / (1.0 + length(sample.position - origin));
    } else {
      total *= 0.5;  // in the dark
    }
  }
  return clamp(total, vec3f(), vec3f(1.0));
}

// Light that falls from around onto one point: part 19 of the sum.
struct Sample19 {
  position: vec3f,
  weight: f32,
  colour: vec3f,
  seed: u32,
}

fn next_random_19(state: ptr<function, u32>) -> f32 {
  *state = (*state ^ 61u) ^ (*state >> 16u);
  *state = *state * 9u;
  *state ^= *state >> 4u;
  *state *= 0x27d4eb2du;
  return f32(*state >> 8u) / 16777216.0;
}

fn gather_19(origin: vec3f, normal: vec3f, first_seed: u32) -> vec3f {
  var seed = first_seed + 19u;
  var total = vec3f(0.0, 0.0, 0.0);
  for (var i = 0u; i < scene.frames; i++) {
    var sample: Sample19;
    sample.position = origin + normal * next_random_19(&seed);
    sample.weight = max(dot(normalize(sample.position), normal), 0.0);
    let index = min(u32(sample.position.x * 17.0 + sample.position.y), scene.size.x - 1u);
    if sample.weight > 0.001 && index != 0u {
      sample.colour = source[index].rgb * scene.gain;
      total += sample.colour * sample.weight / (1.0 + length(sample.position - origin));
    } else {
      total *= 0.5;  // in the dark
    }
  }
  return clamp(total, vec3f(), vec3f(1.0));
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
  var colour = vec3f();
  colour += gather_0(colour, vec3f(0.0, 1.0, 0.0), id.x);
  colour += gather_1(colour, vec3f(0.0, 1.0, 0.0), id.x);
  colour += gather_2(colour, vec3f(0.0, 1.0, 0.0), id.x);
  colour += gather_3(colour, vec3f(0.0, 1.0, 0.0), id.x);
  colour += gather_4(colour, vec3f(0.0, 1.0, 0.0), id.x);
  colour += gather_5(colour, vec3f(0.0, 1.0, 0.0), id.x);
  colour += gather_6(colour, vec3f(0.0, 1.0, 0.0), id.x);
  colour += gather_7(colour, vec3f(0.0, 1.0, 0.0), id.x);
  colour += gather_8(colour, vec3f(0.0, 1.0, 0.0), id.x);
  colour += gather_9(colour, vec3f(0.0, 1.0, 0.0), id.x);
  colour += gather_10(colour, vec3f(0.0, 1.0, 0.0), id.x);
  colour += gather_11(colour, vec3f(0.0, 1.0, 0.0), id.x);
  colour += gather_12(colour, vec3f(0.0, 1.0, 0.0), id.x);
  colour += gather_13(colour, vec3f(0.0, 1.0, 0.0), id.x);
  colour += gather_14(colour, vec3f(0.0, 1.0, 0.0), id.x);
  colour += gather_15(colour, vec3f(0.0, 1.0, 0.0), id.x);
  colour += gather_16(colour, vec3f(0.0, 1.0, 0.0), id.x);
  colour += gather_17(colour, vec3f(0.0, 1.0, 0.0), id.x);
  colour += gather_18(colour, vec3f(0.0, 1.0, 0.0), id.x);
  colour += gather_19(colour, vec3f(0.0, 1.0, 0.0), id.x);
  result[id.x] = vec4f(colour, 1.0);
}
