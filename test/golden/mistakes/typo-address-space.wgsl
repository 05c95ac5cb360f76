var<privat> a: i32;
@group(0) @binding(0) var<storage, readwrite> b: u32;
