fn f() {
  let v: float3 = float3(1.0, 2.0, 3.0);
}
