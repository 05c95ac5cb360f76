#include "common.wgsl"
fn f() {}
