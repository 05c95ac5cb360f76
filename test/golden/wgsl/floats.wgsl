@group(0) @binding(0) var<storage, read_write> f: array<vec3<f32>>;
@group(0) @binding(1) var<storage, read_write> i: array<vec3<i32>>;

@compute @workgroup_size(1)
fn main() {
  let a = f[0];
  let b = f[1];
  f[2] = acos(a) + acosh(a) + asin(a) + asinh(a) + atan(a) + atanh(a) + atan2(a, b);
  f[3] = ceil(a) + floor(a) + trunc(a) + round(a) + fract(a);
  f[4] = cos(a) + cosh(a) + sin(a) + sinh(a) + tan(a) + tanh(a);
  f[5] = exp(a) + exp2(a) + log(a) + log2(a) + pow(a, b) + sqrt(a) + inverseSqrt(a);
  f[6] = clamp(a, b, f[2]) + saturate(a) + mix(a, b, 0.25) + mix(a, b, f[3]) + smoothstep(a, b, f[2]) + step(a, b);
  f[7] = cross(a, b) + normalize(a) + reflect(a, b) + refract(a, b, 1.5) + faceForward(a, b, f[2]);
  f[8] = vec3(length(a), distance(a, b), dot(a, b));
  f[9] = vec3(length(a.x), distance(a.x, b.x), fma(a.x, b.x, a.y)) + degrees(a) + radians(b);
  f[10] = abs(a) + sign(a) + min(a, b) + max(a, b) + quantizeToF16(a) + ldexp(a, i[0]);
  let m = modf(a);
  f[11] = m.fract + m.whole;
  let x = frexp(b);
  f[12] = x.fract;
  i[1] = x.exp;
}
