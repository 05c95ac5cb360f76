// SPDX-License-Identifier: MIT
// One step of a gravitational n-body simulation (semi-implicit Euler, G = 1).
//
// input   binding 0: bodies of 32 bytes: position x y z and mass, velocity x y z and an unused word, f32
// output  binding 1: the same bodies a time step later
// params  none; override time_step (0.01) and softening (0.05), which keeps close passes finite
// call    execute_kernel(Id, Bodies, 1)
//
// All pairs: a workgroup keeps 256 bodies in its own memory at a time and every lane adds their pull.

struct Body {
  position: vec3f,
  mass: f32,
  velocity: vec3f,
  unused: f32,
}

@group(0) @binding(0) var<storage, read> now: array<Body>;
@group(0) @binding(1) var<storage, read_write> next: array<Body>;

override time_step = 0.01;
override softening = 0.05;

const lanes = 256u;

var<workgroup> near: array<vec4f, lanes>;  // position and mass

@compute @workgroup_size(lanes)
fn main(@builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) group: vec3u) {
  let count = min(arrayLength(&now), arrayLength(&next));
  if group.x * lanes >= count {
    return;  // a call by words starts eight times as many invocations as there are bodies
  }
  let index = group.x * lanes + lane;
  let present = index < count;
  var body = now[min(index, count - 1)];

  var pull = vec3f();
  for (var first = 0u; first < count; first += lanes) {
    let other = first + lane;
    if other < count {
      near[lane] = vec4f(now[other].position, now[other].mass);
    } else {
      near[lane] = vec4f();
    }
    workgroupBarrier();
    for (var i = 0u; i < lanes; i++) {
      let apart = near[i].xyz - body.position;
      let reciprocal = inverseSqrt(dot(apart, apart) + softening * softening);
      pull += near[i].w * reciprocal * reciprocal * reciprocal * apart;
    }
    workgroupBarrier();
  }

  if present {
    body.velocity += time_step * pull;
    body.position += time_step * body.velocity;
    next[index] = body;
  }
}
