struct Light { position: vec3f, colour: vec3f }
fn f(l: Light) {
  let c = l.color;
}
