"""Types and values to build programs from: the edges of every type's range, at every stage of evaluation."""

LITERALS = {
    "bool": ["true", "false"],
    "i32": ["0i", "1i", "-1i", "7i", "31i", "32i", "33i", "2147483647i", "i32(-2147483648)", "-2147483647i"],
    "u32": ["0u", "1u", "7u", "8u", "31u", "32u", "33u", "4294967295u", "2147483648u"],
    "f32": ["0f", "-0f", "1f", "-1f", "0.5f", "2f", "3.4028234e38f", "-3.4028234e38f", "1e-38f", "1e-45f", "100f",
            "1e10f", "88.8f", "128f", "1.5f"],
    "f16": ["0h", "1h", "-1h", "0.5h", "2h", "65504h", "-65504h", "6e-5h", "11.1h", "100h"],
    "int": ["0", "1", "-1", "2", "31", "32", "33", "64", "2147483647", "2147483648", "-2147483648", "-2147483649",
            "4294967295", "4294967296", "9223372036854775807", "(-9223372036854775807-1)"],
    "float": ["0.0", "1.0", "-1.0", "0.5", "2.5", "65505.0", "3.5e38", "1e308", "-1e308", "1e-310", "709.9", "100.0"],
}
CONCRETE = ["bool", "i32", "u32", "f32", "f16"]
NUMERIC = ["i32", "u32", "f32", "f16"]
OVERRIDE = {"bool": "o_b", "i32": "o_i", "u32": "o_u", "f32": "o_f", "f16": "o_h"}
GIVEN = {
    "bool": [0, 1],
    "i32": [0, 1, -1, 31, 32, 33, 2147483647, -2147483648],
    "u32": [0, 1, 8, 31, 32, 33, 4294967295],
    "f32": [0, 1, -1, 0.5, 3.4028234663852886e38, -3.4028234663852886e38, 100, 1e-38],
    "f16": [0, 1, -1, 0.5, 65504, -65504, 11.1],
}
STAGES = ["const", "override", "runtime"]

PRELUDE = """enable f16, subgroups;
override o_b: bool;
override o_i: i32;
override o_u: u32;
override o_f: f32;
override o_h: f16;
"""


def scalar(r, kind, stage):
    """A scalar of the kind ("int" and "float" are the abstract ones), evaluated at the stage."""
    if stage == "const" or kind not in OVERRIDE:
        return r.choice(LITERALS[kind])
    if stage == "override":
        return OVERRIDE[kind]
    return "v_" + OVERRIDE[kind][2:]


def vector(r, width, kind, stage):
    name = f"vec{width}" if kind in ("int", "float") else f"vec{width}<{kind}>"
    if r.random() < 0.5:
        return f"{name}({scalar(r, kind, stage)})"
    other = stage if r.random() < 0.5 else "const"
    parts = [scalar(r, kind, other) for _ in range(width - 1)] + [scalar(r, kind, stage)]
    r.shuffle(parts)
    return f"{name}({', '.join(parts)})"


def matrix(r, columns, rows, kind, stage):
    name = f"mat{columns}x{rows}" if kind in ("int", "float") else f"mat{columns}x{rows}<{kind}>"
    return f"{name}({', '.join(vector(r, rows, kind, stage) for _ in range(columns))})"


def value(r, stage, shape=None, kind=None):
    """Any value; shape is 1 to 4 (scalar, vectors), or a (columns, rows)."""
    kind = kind or r.choice(list(LITERALS))
    shape = shape or r.choice([1, 1, 1, 2, 3, 4])
    if shape == 1:
        return scalar(r, kind, stage)
    if isinstance(shape, tuple):
        return matrix(r, *shape, "float" if kind in ("int", "bool", "i32", "u32") else kind, stage)
    return vector(r, shape, kind, stage)


# What is no plain value: memory views, opaque objects, names of other things.
ODDITIES = ["&v_i", "v_a", "v_s", "atom", "&atom", "&list", "list", "sampler_", "texture_", "read_write", "i32", "S",
            "nowhere", "helper", "helper(1)", "nothing()", "array(1, 2)", "S(1, 2f)", "mat2x2f()", "vec2(true)",
            "modf(1.5)", "1 == 1", "vec2<i32>", "array<u32, 4>()", "o_i", "-o_f", "f16(1)", "bool()"]

ODD_PRELUDE = """struct S { a: i32, b: f32 }
@group(0) @binding(0) var<storage, read_write> list: array<u32>;
@group(0) @binding(1) var sampler_: sampler;
@group(0) @binding(2) var texture_: texture_2d<f32>;
var<workgroup> atom: atomic<u32>;
fn helper(a: i32) -> i32 { return a; }
fn nothing() {}
"""

LOCALS = """  var v_b: bool;
  var v_i: i32;
  var v_u: u32;
  var v_f: f32;
  var v_h: f16;
  var v_a: array<i32, 4>;
"""


def uses_override(expression):
    return [kind for kind, name in OVERRIDE.items() if name in expression]


def program(r, expression, stage, odd=False):
    """The expression somewhere it may be evaluated; with overrides, as often as not, at pipeline creation."""
    head = PRELUDE + (ODD_PRELUDE if odd else "")
    local = LOCALS + ("  var v_s: S;\n" if odd else "")
    kinds = uses_override(expression)
    line = ""
    if kinds and r.random() < 0.7:
        given = " ".join(f"const:{OVERRIDE[k]}={r.choice(GIVEN[k])}" for k in kinds)
        line = f"//!pipeline entry=main {given}\n"
    where = r.random()
    if stage == "runtime" or odd or where < 0.5:
        form = r.choice(["_ = {};", "let x = {};", "var x = {};", "if r == 0 {{ _ = {}; }}"])
        body = form.format(expression)
        return (f"{line}{head}@compute @workgroup_size(1) fn main(@builtin(local_invocation_index) r: u32) {{\n"
                f"{local}  {body}\n}}\n")
    use = "" if r.random() < 0.2 else "_ = c;"
    keyword = "const" if stage == "const" else r.choice(["override", "var<private>", "var<private>"])
    return f"{line}{head}{keyword} c = {expression};\n@compute @workgroup_size(1) fn main() {{ {use} }}\n"
