@group(0) @binding(0) var a: array<u32>;
