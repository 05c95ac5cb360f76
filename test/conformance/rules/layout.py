"""Spec "Memory Layout", "Address Space Layout Constraints", "Limits"."""

from rules import rule

KINDS = ["u32", "f32", "f16", "vec2f", "vec3f", "vec4f", "vec2h", "vec3h", "mat2x2f", "mat3x3f", "mat4x2h", "array<u32, 3>", "array<vec3f, 2>",
         "array<f16, 4>", "Inner", "array<Inner, 2>", "atomic<u32>", "bool", "vec3<bool>", "array<vec2f, 2>"]


@rule("Structure layout: @size and @align, host-shareable and uniform constraints")
def structures(r):
    def member(name):
        attributes = ""
        if r.random() < 0.3:
            attributes += f"@align({r.choice([1, 2, 4, 8, 16, 32, 64, 3, 12])}) "
        if r.random() < 0.3:
            attributes += f"@size({r.choice([1, 2, 4, 6, 8, 12, 16, 17, 24, 32, 100])}) "
        return f"{attributes}{name}: {r.choice(KINDS)}"

    inner = ", ".join(member(f"i{k}") for k in range(r.choice([1, 2]))).replace("array<Inner, 2>", "u32").replace("Inner", "vec2f")
    outer = ", ".join(member(f"o{k}") for k in range(r.choice([1, 2, 3])))
    if r.random() < 0.2:
        outer += f", last: array<{r.choice(KINDS)}>"
    space = r.choice(["@group(0) @binding(0) var<uniform>", "@group(0) @binding(0) var<storage>", "var<private>", "var<workgroup>",
                      "@group(0) @binding(0) var<storage, read_write>"])
    kind = r.choice(["Outer", "Outer", "array<Outer, 2>", "array<Outer>", "Inner"])
    return f"enable f16;\nstruct Inner {{ {inner} }}\nstruct Outer {{ {outer} }}\n{space} x: {kind};\n"


@rule("Pipeline creation: workgroup sizes and workgroup storage against the limits")
def limits(r):
    sizes = ", ".join(str(r.choice([1, 2, 16, 64, 65, 128, 255, 256, 257])) for _ in range(r.choice([1, 2, 3])))
    count = r.choice([1, 4095, 4096, 4097, 1024, 1023])
    kind = r.choice(["u32", "vec2u", "vec3u", "vec4u", "array<u32, 4>", "bool", "mat2x2f"])
    second = r.choice(["", "var<workgroup> b: u32;", "var<workgroup> b: array<u32, 3>;"])
    use = r.choice(["_ = a[0];", "_ = a[0]; _ = &b;" if second else "", "", "f();"])
    return (f"//!pipeline entry=main\nvar<workgroup> a: array<{kind}, {count}>;\n{second}\nfn f() {{ _ = a[1 % {count}]; }}\n"
            f"@compute @workgroup_size({sizes}) fn main() {{ {use} }}\n")
