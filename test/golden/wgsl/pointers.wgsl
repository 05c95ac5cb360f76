// Pointers into module-scope memory are taken apart at calls; those into functions become inout parameters.
struct Cell {
  value: u32,
  list: array<u32, 4>,
}
@group(0) @binding(0) var<storage, read_write> cells: array<Cell>;
@group(0) @binding(1) var<storage, read_write> words: array<u32>;
var<workgroup> shared_cells: array<Cell, 4>;
var<private> mine: Cell;

fn bump(p: ptr<storage, u32, read_write>, by: u32) -> u32 {
  let old = *p;
  *p = old + by;
  return old;
}
fn fill(p: ptr<storage, Cell, read_write>, i: u32) {
  p.value = bump(&p.list[i], 1);
  _ = bump(&(*p).value, 2);
}
fn total(p: ptr<workgroup, Cell>) -> u32 {
  return p.value + p.list[3];
}
fn length_of(p: ptr<storage, array<u32>, read_write>) -> u32 {
  return arrayLength(p) + (*p)[1];
}
fn reset(p: ptr<private, Cell>) {
  *p = Cell();
}
fn swap(a: ptr<function, u32>, b: ptr<function, u32>) {
  let t = *a;
  *a = *b;
  *b = t;
}

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) local: u32) {
  let cell = &cells[local];
  fill(cell, 2);
  fill(&cells[local + 1], local);
  cell.value += total(&shared_cells[local]) + length_of(&words);
  reset(&mine);
  var x = cell.value;
  var y = array(1u, mine.value);
  swap(&x, &y[local]);
  words[local] = x + y[0];
}
