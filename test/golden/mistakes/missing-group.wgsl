@binding(0) var<storage> a: array<u32>;
