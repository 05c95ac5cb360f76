var<uniform> a: vec4f;
fn f() {
  var<workgroup> b: i32;
}
