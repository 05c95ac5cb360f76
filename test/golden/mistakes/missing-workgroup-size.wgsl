@compute
fn main() {}
