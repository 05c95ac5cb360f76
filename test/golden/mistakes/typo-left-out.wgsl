// A letter is left out; a name without the other letter is as near.
fn wave(s: f32) -> f32 {
  return sn(1.0) + s;
}
