var<storage> a: array<u32>;
