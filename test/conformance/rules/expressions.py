"""Spec "Expressions"."""

from rules import rule
from rules.values import (CONCRETE, LITERALS, ODDITIES, STAGES, matrix, program, scalar, uses_override, value, vector)

BINARY = ["+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", "==", "!=", "<", "<=", ">", ">=", "&&", "||"]
UNARY = ["-", "!", "~", "&", "*", "--", "+"]
SHAPES = [1, 1, 1, 2, 3, 4, (2, 2), (2, 3), (3, 2), (4, 4)]


def stages(r):
    stage = r.choice(STAGES)
    return stage, (stage if r.random() < 0.5 else "const")


@rule("Arithmetic Expressions, Comparison Expressions, Logical Expressions, Bit Expressions: types")
def binary_types(r):
    first, second = stages(r)
    left = value(r, first, r.choice(SHAPES))
    right = value(r, second, r.choice(SHAPES))
    return program(r, f"{left} {r.choice(BINARY)} {right}", first)


@rule("Arithmetic Expressions, Comparison Expressions, Logical Expressions, Bit Expressions: values")
def binary_values(r):
    first, second = stages(r)
    kind = r.choice(list(LITERALS))
    shape = r.choice([1, 1, 2, 3])
    operator = r.choice(BINARY)
    right_kind = r.choice(["u32", "u32", "int"]) if operator in ("<<", ">>") else kind
    if r.random() < 0.15:
        right_kind = r.choice(["int", "float"])
    left, right = value(r, first, shape, kind), value(r, second, shape, right_kind)
    if r.random() < 0.5:
        first, left, right = second if first == "runtime" and second == "runtime" else first, right, left
        if operator in ("<<", ">>"):
            left, right = right, left
    text = f"{left} {operator} {right}"
    stage = "runtime" if "v_" in text else "override" if uses_override(text) else "const"
    return program(r, text, stage)


@rule("Unary expressions")
def unary(r):
    stage = r.choice(STAGES)
    operand = value(r, stage, r.choice(SHAPES))
    if r.random() < 0.2:
        operand = f"({operand})"
    return program(r, r.choice(UNARY) + operand, stage)


@rule("Compound assignment, increment and decrement: operand types and values")
def compound(r):
    kind = r.choice(CONCRETE)
    shape = r.choice([1, 1, 2, 3, (2, 2), (3, 2)])
    target = {1: kind}.get(shape) or (f"vec{shape}<{kind}>" if isinstance(shape, int)
                                      else f"mat{shape[0]}x{shape[1]}<{'f32' if kind != 'f16' else 'f16'}>")
    right = value(r, r.choice(STAGES), r.choice([shape, shape, 1, r.choice(SHAPES)]),
                  r.choice([kind, kind, "int", "float", "u32", r.choice(CONCRETE)]))
    operator = r.choice([o for o in BINARY if o not in ("==", "!=", "<", "<=", ">", ">=", "&&", "||")])
    statement = r.choice([f"x {operator}= {right};", f"x = x {operator} {right};", f"x = {right};", "x++;", "x--;"])
    return program(r, f"0;\n  var x: {target};\n  {statement}\n  let y = {right}", "runtime")


@rule("Operator Precedence and Associativity")
def precedence(r):
    def term(depth):
        if depth == 0 or r.random() < 0.3:
            return r.choice(["a", "b", "c", "1", "2u", "true", "p", "q", "vec2(1)", "f(a)", "a[0]", "-a", "!p", "~a"])
        if r.random() < 0.25:
            return f"({term(depth - 1)})"
        return f"{term(depth - 1)} {r.choice(BINARY)} {term(depth - 1)}"

    return ("fn f(x: i32) -> i32 { return x; }\n"
            f"fn g(a: i32, b: i32, c: i32, p: bool, q: bool) {{ _ = {term(3)}; }}\n")


@rule("Short-circuiting operators: what is skipped need not evaluate")
def short_circuit(r):
    stage = r.choice(STAGES[:2])
    left = r.choice(["true", "false", "o_b", "o_i == 0", "1 < 2"]) if stage == "override" else r.choice(
        ["true", "false", "1 < 2", "2 < 1", "!true"])
    zero = r.choice(["0", "0i", "0u", "o_i"]) if stage == "override" else r.choice(["0", "0i", "1"])
    right = r.choice([f"1 / {zero} == 0", "array(1, 2)[3] == 1", "sqrt(-1.0) == 0.0", "1", "nowhere",
                      "(1u << 33u) == 0u", f"10 % {zero} == 1", "true", "vec2(true)"])
    return program(r, f"{left} {r.choice(['&&', '||', '&', '|'])} ({right})", stage)


@rule("Composite Value Decomposition Expressions: indices")
def index(r):
    stage = r.choice(STAGES)
    base = r.choice(["vec2(1, 2)", "vec3f()", "vec4<bool>()", "mat2x3f()", "array(1, 2, 3)", "array<vec2i, 2>()", "v_a",
                     "mat2x3f()[1]", "array(vec2(1), vec2(2))[1]", "list", "1", "v_i", "(&v_a)", "v_p", "S(1, 2f)"])
    at = r.choice([scalar(r, r.choice(["i32", "u32", "int"]), stage), "-1", "0", "1", "2", "3", "4", "1.0", "true",
                   "vec2(0)", "o_i", "o_u", "v_i", "v_u", "1h"])
    text = f"{base}[{at}]"
    if "v_" in text or "list" in text:
        stage = "runtime"
    elif uses_override(text):
        stage = "override"
    return program(r, f"0; let v_p = &v_a; _ = {text}" if stage == "runtime" else text, stage, odd=stage == "runtime")


@rule("Vector Access Expression: swizzles; Structure Access Expression")
def member(r):
    base = r.choice(["vec2(1, 2)", "vec3f()", "vec4<bool>()", "mat2x3f()", "S(1, 2f)", "v_s", "v_v", "(&v_v)", "v_p", "1",
                     "array(1)"])
    letters = r.choice(["xyzw", "rgba", "xyzwrgba", "xyab", "stpq"])
    name = r.choice(["".join(r.choice(letters) for _ in range(r.choice([1, 1, 2, 3, 4, 5]))), "a", "b", "c", "length"])
    target = r.choice([f"_ = {base}.{name}", f"_ = {base}.{name}.x", f"v_v.{name} = 1f", f"_ = &v_v.{name}", f"v_p.{name} = 1"])
    return program(r, f"0; var v_v: vec3f; let v_p = &v_v; {target}", "runtime", odd=True)


CONSTRUCTORS = (["bool", "i32", "u32", "f32", "f16"] + [f"vec{n}{s}" for n in (2, 3, 4) for s in
                ("", "<bool>", "<i32>", "<u32>", "<f32>", "<f16>", "f", "h", "i", "u")] +
                [f"mat{c}x{n}{s}" for c in (2, 3, 4) for n in (2, 3, 4) for s in ("", "<f32>", "<f16>", "f", "h")])


@rule("Value Constructor Built-in Functions")
def construct(r):
    stage = r.choice(STAGES)
    target = r.choice(CONSTRUCTORS)
    count = r.choice([0, 1, 1, 1, 2, 2, 3, 4, 5])
    kind = r.choice(list(LITERALS))
    arguments = [value(r, stage if r.random() < 0.7 else "const", r.choice([1, 1, 1, 2, 3, 4, (2, 2)]),
                       kind if r.random() < 0.8 else None) for _ in range(count)]
    return program(r, f"{target}({', '.join(arguments)})", stage)


@rule("Value Constructor Built-in Functions: matrices and vectors with the number of arguments they want")
def construct_well(r):
    stage = r.choice(STAGES)
    kind = r.choice(["f32", "f16", "float", "int"] if r.random() < 0.7 else list(LITERALS))
    if r.random() < 0.4:
        columns, rows = r.choice([2, 3, 4]), r.choice([2, 3, 4])
        name = f"mat{columns}x{rows}" + r.choice(["", "<f32>", "f", "<f16>", "h"])
        arguments = ([scalar(r, kind, stage) for _ in range(columns * rows)] if r.random() < 0.5 else
                     [vector(r, rows, kind, stage) for _ in range(columns)])
        return program(r, f"{name}({', '.join(arguments)})", stage)
    width = r.choice([2, 3, 4])
    arguments, left = [], width
    while left > 0:
        part = r.randint(1, left)
        arguments.append(scalar(r, kind, stage) if part == 1 else vector(r, part, kind, stage))
        left -= part
    suffix = r.choice(["", "<f32>", "<i32>", "<u32>", "<f16>", "<bool>", "f", "i", "u"])
    return program(r, f"vec{width}{suffix}({', '.join(arguments)})", stage)


@rule("array and structure constructors")
def construct_composite(r):
    stage = r.choice(STAGES)
    kind = r.choice(list(LITERALS))
    arguments = ", ".join(value(r, stage, r.choice([1, 1, 2]), kind if r.random() < 0.85 else None)
                          for _ in range(r.choice([0, 1, 2, 2, 3, 4])))
    target = r.choice(["array", "array", "array<i32, 2>", "array<f32, 3>", "array<u32>", "array<i32, 0>", "array<vec2f, 2>",
                       "array<atomic<u32>, 2>", "array<bool, o_i>", "array<i32, 2, 3>", "S", "S", "atomic<u32>", "ptr",
                       "sampler", "array<array<i32, 2>, 2>"])
    return program(r, f"{target}({arguments})", stage, odd=True)


@rule("Conversion rank: a value where a type is wanted")
def conversion(r):
    target = r.choice(["i32", "u32", "f32", "f16", "bool", "vec2i", "vec3f", "vec2h", "mat2x2f", "mat2x2h", "array<f32, 2>",
                       "array<i32, 2>", "array<vec2h, 2>", "S"])
    given = r.choice([value(r, "const"), value(r, "const", kind=r.choice(["int", "float"])), "array(1, 2)",
                      "array(1.0, 2)", "array(vec2(1.5), vec2(1))", "array(1, 2u)", "mat2x2(1, 2, 3, 1e9)", "S(1, 2)",
                      "array(array(1, 2), array(3, 4))[1]", "frexp(1.5).fract", "modf(1.5).whole"])
    form = r.choice(["const x: {} = {};", "fn f() {{ var x: {} = {}; }}", "fn f() {{ let x: {} = {}; }}",
                     "fn f() -> {} {{ return {}; }}", "override x: {} = {};", "var<private> x: {} = {};",
                     "fn g(x: {0}) {{}}\nfn f() {{ g({1}); }}", "fn f() {{ var x: {}; x = {}; }}"])
    return "enable f16;\nstruct S { a: i32, b: f32 }\n" + form.format(target, given) + "\n"


@rule("bitcast")
def bitcast(r):
    stage = r.choice(STAGES)
    target = r.choice(["i32", "u32", "f32", "f16", "vec2<f16>", "vec4h", "vec2f", "vec3u", "vec4i", "vec2u", "bool", "mat2x2f",
                       "array<u32, 2>", "vec3h"])
    bits = ["0x7f800000u", "0xff800000u", "0x7fc00000u", "0x7f7fffffu", "0x7c00fbffu", "0x00017c00u", "0xffffffffu",
            "i32(0x7f800000)", "-1i", "vec2u(0x7c00u, 1u)", "vec2<u32>(0x7f800001u, 0u)", "vec2i(2139095040, 1)"]
    given = r.choice([r.choice(bits), value(r, stage)])
    return program(r, f"bitcast<{target}>({given})", "const" if given in bits else stage)


@rule("Memory views: address-of, indirection, the load rule")
def views(r):
    base = r.choice(["v_i", "v_a", "v_s", "v_s.b", "v_a[1]", "v_v.x", "v_v", "list", "list[0]", "prv", "l", "par", "*q", "(v_i)",
                     "v_m[0]", "v_m[0][1]", "konst", "o_i", "un.a", "atom", "wg"])
    operation = r.choice(["let x = &{};", "_ = &{};", "_ = *&{};", "*&{} = {};", "_ = &&{};", "let x = &{}; _ = *x;",
                          "let x: ptr<function, i32> = &{};", "_ = (&{})[0];", "{} = {};", "{}++;", "_ = {};",
                          "take(&{});", "let x = {};", "var x = {};", "_ = &(*(&{}));", "let x = &{}; *x = *x;"])
    text = operation.replace("{}", base)
    return ("struct S { a: i32, b: array<i32, 2> }\n@group(0) @binding(0) var<storage, read_write> list: array<i32>;\n"
            "@group(0) @binding(1) var<uniform> un: S;\nvar<private> prv: i32;\nvar<workgroup> atom: atomic<i32>;\n"
            "var<workgroup> wg: i32;\nconst konst = 1i;\noverride o_i: i32;\nfn take(p: ptr<function, i32>) {}\n"
            "fn f(par: i32, q: ptr<function, i32>) {\n  var v_i = 1i; var v_a = array(1i, 2); var v_s = S(); var v_v = vec3(1i);\n"
            f"  var v_m = mat2x2f(); let l = 3i;\n  {text}\n}}\n")


@rule("Phony assignment and expression statements with any expression")
def phony(r):
    return program(r, r.choice(ODDITIES), "runtime", odd=True)
