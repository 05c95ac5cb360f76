diagnostic(off, derivative_uniformity);
diagnostic(off, derivative_uniformity);
diagnostic(warning, other.rule);
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
@compute @workgroup_size(1) @diagnostic(error, subgroup_uniformity) fn main() {
  @diagnostic(off, subgroup_uniformity) if o[0] == 1u { o[1] = 2u; }
  @diagnostic(info, derivative_uniformity) switch o[0] { case 1, default @diagnostic(off, subgroup_uniformity) { } }
}
