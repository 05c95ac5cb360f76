"""Spec "Built-in Functions": every function with arguments that fit it, nearly fit it, and do not."""

from rules import rule
from rules.values import LITERALS, ODDITIES, STAGES, matrix, program, scalar, uses_override, value

FLOAT = ["f32", "f16", "float", "int"]
ANY = ["i32", "u32", "f32", "f16", "int", "float"]
CONCRETE_INT = ["i32", "u32", "int"]
# name -> (argument kinds for the one type parameter, argument pattern). In a pattern: T a scalar or vector of the kind,
# V a vector, S a scalar of the kind, u a u32, B a bool of T's shape, b a bool, M a matrix, Q a square one, 3 a vec3,
# I an integer of T's shape, x a u32 scalar, 4f 2f 4i 4u vectors.
FUNCTIONS = {
    **{n: (FLOAT, ["T"]) for n in
       """acos acosh asin asinh atan atanh ceil cos cosh degrees exp exp2 floor fract frexp inverseSqrt length log log2
       modf radians round saturate sin sinh sqrt tan tanh trunc""".split()},
    **{n: (FLOAT, ["T", "T"]) for n in ["atan2", "distance", "pow", "step"]},
    **{n: (ANY, ["T", "T"]) for n in ["max", "min"]},
    **{n: (CONCRETE_INT, ["T"]) for n in
       "countLeadingZeros countOneBits countTrailingZeros firstLeadingBit firstTrailingBit reverseBits".split()},
    "abs": (ANY, ["T"]), "sign": (["i32", "f32", "f16", "int", "float"], ["T"]), "clamp": (ANY, ["T", "T", "T"]),
    "cross": (FLOAT, ["3", "3"]), "dot": (ANY, ["V", "V"]), "fma": (FLOAT, ["T", "T", "T"]),
    "mix": (FLOAT, ["T", "T", "T"]), "smoothstep": (FLOAT, ["T", "T", "T"]), "normalize": (FLOAT, ["V"]),
    "reflect": (FLOAT, ["V", "V"]), "refract": (FLOAT, ["V", "V", "S"]), "faceForward": (FLOAT, ["V", "V", "V"]),
    "ldexp": (FLOAT, ["T", "I"]), "extractBits": (CONCRETE_INT, ["T", "u", "u"]),
    "insertBits": (CONCRETE_INT, ["T", "T", "u", "u"]), "select": (list(LITERALS), ["T", "T", "B"]),
    "determinant": (FLOAT, ["Q"]), "transpose": (FLOAT, ["M"]), "quantizeToF16": (["f32", "float"], ["T"]),
    "all": (["bool"], ["T"]), "any": (["bool"], ["T"]), "dot4U8Packed": (["u32"], ["x", "x"]),
    "dot4I8Packed": (["u32"], ["x", "x"]), "pack4x8snorm": (["f32"], ["4f"]), "pack4x8unorm": (["f32"], ["4f"]),
    "pack2x16snorm": (["f32"], ["2f"]), "pack2x16unorm": (["f32"], ["2f"]), "pack2x16float": (["f32"], ["2f"]),
    "pack4xI8": (["i32"], ["4i"]), "pack4xU8": (["u32"], ["4u"]), "pack4xI8Clamp": (["i32"], ["4i"]),
    "pack4xU8Clamp": (["u32"], ["4u"]),
    **{n: (["u32"], ["x"]) for n in
       "unpack4x8snorm unpack4x8unorm unpack4xI8 unpack4xU8 unpack2x16snorm unpack2x16unorm unpack2x16float".split()},
}
LANES = """subgroupAdd subgroupExclusiveAdd subgroupInclusiveAdd subgroupAll subgroupAnd subgroupAny subgroupBallot
subgroupBroadcast subgroupBroadcastFirst subgroupElect subgroupMax subgroupMin subgroupMul subgroupExclusiveMul
subgroupInclusiveMul subgroupOr subgroupShuffle subgroupShuffleDown subgroupShuffleUp subgroupShuffleXor subgroupXor
quadBroadcast quadSwapDiagonal quadSwapX quadSwapY""".split()
ATOMICS = """atomicLoad atomicStore atomicAdd atomicSub atomicMax atomicMin atomicAnd atomicOr atomicXor atomicExchange
atomicCompareExchangeWeak""".split()


def argument(r, pattern, kind, width, stage):
    if pattern == "T":
        return value(r, stage, width, kind)
    if pattern == "V":
        return value(r, stage, width if width > 1 else 3, kind)
    if pattern in ("S", "3"):
        return value(r, stage, 1 if pattern == "S" else 3, kind)
    if pattern == "u":
        return scalar(r, r.choice(["u32", "u32", "int"]), stage)
    if pattern == "x":
        return scalar(r, r.choice(["u32", "u32", "u32", "int"]), stage)
    if pattern == "B":
        return value(r, stage, r.choice([1, width]), "bool")
    if pattern == "I":
        return value(r, stage, width, r.choice(["i32", "int"]))
    if pattern in ("M", "Q"):
        columns = r.choice([2, 3, 4])
        return matrix(r, columns, columns if pattern == "Q" else r.choice([2, 3, 4]), kind, stage)
    return value(r, stage, int(pattern[0]), {"f": "f32", "i": "i32", "u": "u32"}[pattern[1]])


def finished(r, text, odd=False):
    stage = "runtime" if "v_" in text else "override" if uses_override(text) else "const"
    return program(r, text, stage, odd)


@rule("Built-in functions: early evaluation errors, whole and partial")
def early(r):
    name = r.choice(list(FUNCTIONS))
    kinds, patterns = FUNCTIONS[name]
    kind, width = r.choice(kinds), r.choice([1, 1, 2, 3, 4])
    mixed = r.random() < 0.4
    stage = r.choice(STAGES)
    arguments = [argument(r, p, kind, width, r.choice(STAGES) if mixed else stage) for p in patterns]
    return finished(r, f"{name}({', '.join(arguments)})")


@rule("Built-in functions: overload resolution")
def overloads(r):
    name = r.choice(list(FUNCTIONS))
    kinds, patterns = FUNCTIONS[name]
    kind, width = r.choice(kinds if r.random() < 0.6 else list(LITERALS)), r.choice([1, 2, 3, 4])
    arguments = []
    for p in patterns:
        other = r.choice(list(LITERALS)) if r.random() < 0.25 else kind
        shape = r.choice([1, 2, 3, 4]) if r.random() < 0.15 else width
        arguments.append(argument(r, p, other, shape, "const"))
    if r.random() < 0.15:
        arguments = arguments[:-1] if r.random() < 0.5 else arguments + [value(r, "const")]
    return finished(r, f"{name}({', '.join(arguments)})")


@rule("Built-in functions: arguments that are no values")
def oddities(r):
    name = r.choice(list(FUNCTIONS) + LANES + ATOMICS + ["arrayLength", "bitcast", "workgroupUniformLoad"])
    kinds, patterns = FUNCTIONS.get(name, (["u32"], ["x"]))
    arguments = [argument(r, p, r.choice(kinds), 1, "const") for p in patterns]
    arguments[r.randrange(len(arguments))] = r.choice(ODDITIES)
    return program(r, f"{name}({', '.join(arguments)})", "runtime", odd=True)


@rule("Built-in functions: which results must be used; which may stand as a statement")
def must_use(r):
    name = r.choice(list(FUNCTIONS) + ["workgroupBarrier", "storageBarrier", "textureBarrier", "subgroupElect"])
    kinds, patterns = FUNCTIONS.get(name, (["u32"], []))
    kind = r.choice(kinds)
    text = f"{name}({', '.join(argument(r, p, kind, 1, 'const') for p in patterns)})"
    form = r.choice(["{};", "_ = {};", "let x = {};", "({});", "_ = ({});", "if true {{ {}; }}", "for (; ; {}) {{ break; }}"])
    return f"enable f16, subgroups;\n@compute @workgroup_size(1) fn main() {{ {form.format(text)} }}\n"


@rule("Subgroup and Quad Built-in Functions")
def lanes(r):
    name = r.choice(LANES)
    stage = r.choice(["const", "const", "override", "runtime"])
    arguments = [value(r, r.choice(["runtime", "const"]), kind=r.choice(["i32", "u32", "f32", "f16", "bool", "int", "float"]))]
    if "Broadcast" in name and "First" not in name or "Shuffle" in name:
        arguments.append(scalar(r, r.choice(["u32", "i32", "int", "f32"]), stage))
    if "Elect" in name:
        arguments = []
    if r.random() < 0.1:
        arguments = arguments[:-1] if r.random() < 0.5 else arguments + ["1"]
    return program(r, f"{name}({', '.join(arguments)})", "runtime")


@rule("Atomic Built-in Functions")
def atomics(r):
    name = r.choice(ATOMICS)
    target = r.choice(["&wu", "&wi", "&s.a", "&s.list[0]", "&s.list[v_i]", "&s.plain", "&p", "wu", "&wl[1]", "&wl", "q", "*q", "&ro",
                       "&f.x", "&s"])
    extra = {"atomicLoad": 0, "atomicCompareExchangeWeak": 2}.get(name, 1)
    if r.random() < 0.1:
        extra += r.choice([-1, 1])
    arguments = [target] + [value(r, r.choice(["const", "runtime"]), 1, r.choice(["u32", "i32", "int", "u32", "i32", "f32"]))
                            for _ in range(max(0, extra))]
    use = r.choice(["_ = {};", "{};", "let x = {};", "let x = {}.old_value;", "let x: u32 = {};", "let x: bool = {}.exchanged;"])
    call = f"{name}({', '.join(arguments)})"
    return ("struct S { a: atomic<u32>, plain: u32, list: array<atomic<i32>> }\n"
            "@group(0) @binding(0) var<storage, read_write> s: S;\n"
            f"@group(0) @binding(1) var<storage, {r.choice(['read', 'read_write'])}> ro: {r.choice(['atomic<u32>', 'u32'])};\n"
            "var<workgroup> wu: atomic<u32>;\nvar<workgroup> wi: atomic<i32>;\nvar<workgroup> wl: array<atomic<u32>, 4>;\n"
            "var<private> p: i32;\nstruct F { x: i32 }\n"
            "fn g(q: ptr<workgroup, atomic<u32>>) {\n  var v_u: u32; var v_i: i32; var v_f: f32; var f: F;\n"
            f"  {use.format(call)}\n}}\n")


@rule("arrayLength and workgroupUniformLoad")
def special(r):
    name = r.choice(["arrayLength", "workgroupUniformLoad"])
    target = r.choice(["&list", "list", "&s.list", "&s", "s.list", "&fixed", "&wg", "wg", "&wa", "&wl", "&wl[0]", "&ws", "&ws.x", "&p",
                       "q", "*q", "&*q", "&vec4i()", "&u", "(&list)", "&(list)", "w", "&wb", "&rw[0]"])
    use = r.choice(["_ = {};", "{};", "let x = {};", "let x: u32 = {};", "const x = {};"])
    return ("struct S { n: u32, list: array<vec2f> }\nstruct W { x: u32, y: atomic<u32> }\n"
            "@group(0) @binding(0) var<storage> list: array<u32>;\n@group(0) @binding(1) var<storage, read_write> s: S;\n"
            "@group(0) @binding(2) var<storage> fixed: array<u32, 4>;\n@group(0) @binding(3) var<uniform> u: vec4u;\n"
            "@group(0) @binding(4) var<storage, read_write> rw: array<u32>;\n"
            "override n: u32;\nvar<workgroup> wg: u32;\nvar<workgroup> wa: atomic<u32>;\nvar<workgroup> wl: array<u32, n>;\n"
            "var<workgroup> ws: W;\nvar<workgroup> wb: bool;\nvar<private> p: array<u32, 4>;\n"
            "fn g(q: ptr<storage, array<u32>>, w: ptr<workgroup, u32>) {\n"
            f"  {use.format(f'{name}({target})')}\n}}\n")
