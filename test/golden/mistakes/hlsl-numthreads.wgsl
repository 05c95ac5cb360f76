@numthreads(64, 1, 1)
fn main() {}
