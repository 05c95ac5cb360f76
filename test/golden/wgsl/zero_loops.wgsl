//! slow_array_constants
struct Row { cells: array<vec4<f32>, 11>, count: u32 }
var<private> rows: array<Row, 3>;
var<private> few: array<u32, 4>;

@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@group(0) @binding(1) var<storage, read_write> kept: Row;

@compute @workgroup_size(1)
fn main() {
  for (var i = 0u; i < 2u; i++) {
    var counts: array<u32, 100>;
    counts[out[i]]++;
    out[i] = counts[out[2]] + few[out[3]] + rows[i].count;
    counts = array<u32, 100>();
    kept = Row();
  }
}
