"""Operators and built-in functions: one row an overload family, with what each case may answer.

A row's cases are tuples of scalars. A component-wise row is run as scalars and as vectors of 2 to 4 components made
of that many cases; the others say their own shapes."""

import itertools
import math
import random
from fractions import Fraction

from floats import ANY, F16, F32, Interval

FLOATS = {"f32": F32, "f16": F16}


class Row:
    """name: for reports. text: WGSL with {0}, {1} … for the arguments. parameters, results: [(scalar, width)], where
    width 0 is the width under test. reference(*scalars or lists) gives what is allowed for each result: an Interval,
    a set of integers, or a list of those for a wide result. constant(case): whether a const-expression may have it."""

    def __init__(self, name, text, parameters, results, cases, reference, constant=None, abstract=None, widths=None,
                 exact=None):
        self.name, self.text, self.parameters, self.results = name, text, parameters, results
        self.cases, self.reference = cases, reference
        self.constant = constant or (lambda *case: True)
        self.exact = exact or (lambda *case: True)  # whether abstract integers give a result that fits
        self.abstract = abstract  # the scalars' abstract type where literals may go without suffix: "int" or "float"
        component_wise = all(width == 0 for _, width in results)
        self.widths = widths or ((1, 2, 3, 4) if component_wise else (0,))


# ---- inputs

I32_MIN, I32_MAX, U32_MAX = -2**31, 2**31 - 1, 2**32 - 1


def integers(kind, count=12, seed=1):
    source = random.Random(seed)
    if kind == "i32":
        edges = [0, 1, -1, 2, -2, 3, 7, -8, 31, 32, 255, -256, 65535, 65536, 2**30, -2**30, I32_MAX, I32_MIN,
                 I32_MIN + 1, I32_MAX - 1, 0x55555555, -0x55555556]
        return edges + [source.randrange(I32_MIN, I32_MAX) for _ in range(count)]
    edges = [0, 1, 2, 3, 7, 8, 31, 32, 33, 255, 65535, 65536, 2**31 - 1, 2**31, 2**31 + 1, U32_MAX, U32_MAX - 1,
             0x55555555, 0xAAAAAAAA]
    return edges + [source.randrange(U32_MAX) for _ in range(count)]


def numbers(t, count=24, seed=2):
    """Edges of the type, and numbers of all magnitudes."""
    source = random.Random(seed)
    edges = [0.0, t.tiny, t.normal - t.tiny, t.normal, 2.0 ** -7, 0.1, 0.25, 0.5, 0.75, 1.0 - 2.0 ** -t.precision, 1.0,
             1.0 + 2.0 ** (1 - t.precision), 1.5, 2.0, 2.5, 3.0, math.pi / 2, math.pi, 10.0, 100.0, 1000.5, t.max / 2,
             t.max]
    spread = [source.uniform(1, 2) * 2.0 ** source.randrange(t.lowest, t.highest + 1) for _ in range(count)]
    small = [source.uniform(0, 10) for _ in range(count)]
    values = [t.nearest(x) for x in edges + spread + small]
    return values + [-x for x in values]


def few(t, seed=3, count=4):
    source = random.Random(seed)
    edges = [0.0, t.tiny, t.normal, 0.5, 1.0, 2.0, 3.25, 10.0, t.max]
    values = [t.nearest(x) for x in edges + [source.uniform(0, 20) for _ in range(count)]]
    return values + [-x for x in values]


def moderate(t, seed=4, count=6):
    source = random.Random(seed)
    values = [t.nearest(x) for x in [0.0, 0.125, 0.5, 1.0, 1.5, 2.0, 3.25, 5.0]
              + [source.uniform(0, 8) for _ in range(count)]]
    return values + [-x for x in values]


def pairs(values, other=None):
    return list(itertools.product(values, other or values))


def triples(values, limit=600, seed=5):
    every = list(itertools.product(values, repeat=3))
    return every if len(every) <= limit else random.Random(seed).sample(every, limit)


def vectors(values, arguments, count, seed=6):
    """`count` cases of vectors: arguments is a list of widths."""
    source = random.Random(seed)
    return [tuple(source.choice(values) if w == 1 else [source.choice(values) for _ in range(w)] for w in arguments)
            for _ in range(count)]


# ---- integers

def wrap(kind, x):
    x &= U32_MAX
    return x - 2**32 if kind == "i32" and x > I32_MAX else x


def truncated(a, b):
    quotient = abs(a) // abs(b)
    return -quotient if (a < 0) != (b < 0) else quotient


def divided(kind):
    return lambda a, b: {a if b == 0 or (a == I32_MIN and b == -1) else truncated(a, b)}


def remainder(kind):
    return lambda a, b: {0 if b == 0 or (a == I32_MIN and b == -1) else a - truncated(a, b) * b}


def fits(kind, x):
    return wrap(kind, x) == x


def first_leading(kind, x):
    if kind == "i32" and x < 0:
        x = ~x
    return x.bit_length() - 1 if x else wrap(kind, -1)


def extract(kind, e, offset, count):
    offset = min(offset, 32)
    count = min(count, 32 - offset)
    if count == 0:
        return 0
    field = (e & U32_MAX) >> offset & (1 << count) - 1
    if kind == "i32" and field >> (count - 1):
        field -= 1 << count
    return field


def insert(kind, e, new, offset, count):
    offset = min(offset, 32)
    count = min(count, 32 - offset)
    mask = ((1 << count) - 1) << offset
    return wrap(kind, (e & U32_MAX & ~mask) | ((new << offset) & mask))


def integer_rows(kind):
    rows = []
    values = integers(kind)
    two = pairs(integers(kind, 4))

    def binary(name, text, reference, constant=None, result=kind, cases=two, second=kind, exact=None):
        rows.append(Row(f"{kind} {name}", text, [(kind, 0), (second, 0)], [(result, 0)], cases, reference, constant,
                        "int" if second == kind else None, exact=exact))

    def unary(name, text, reference, constant=None):
        rows.append(Row(f"{kind} {name}", text, [(kind, 0)], [(kind, 0)], [(x,) for x in values], reference, constant))

    for op, f in (("+", lambda a, b: a + b), ("-", lambda a, b: a - b), ("*", lambda a, b: a * b),
                  ("&", lambda a, b: a & b), ("|", lambda a, b: a | b), ("^", lambda a, b: a ^ b)):
        binary(op, "({0} %s {1})" % op, lambda a, b, f=f: {wrap(kind, f(a, b))},
               exact=lambda a, b, f=f: fits(kind, f(a, b)))
    whole = lambda a, b: b != 0 and not (a == I32_MIN and b == -1)
    binary("/", "({0} / {1})", divided(kind), whole)
    binary("%", "({0} % {1})", remainder(kind), whole)
    for op, f in (("==", lambda a, b: a == b), ("!=", lambda a, b: a != b), ("<", lambda a, b: a < b),
                  ("<=", lambda a, b: a <= b), (">", lambda a, b: a > b), (">=", lambda a, b: a >= b)):
        binary(op, "({0} %s {1})" % op, lambda a, b, f=f: {int(f(a, b))}, result="bool")
    shifts = pairs(integers(kind, 2), [0, 1, 4, 15, 30, 31, 32, 33, 63, 64, 2**31, U32_MAX])
    binary("<<", "({0} << {1})", lambda a, n: {wrap(kind, a << (n & 31))},
           lambda a, n: n < 32 and fits(kind, a << n), cases=shifts, second="u32")
    binary(">>", "({0} >> {1})", lambda a, n: {a >> (n & 31)}, lambda a, n: n < 32, cases=shifts, second="u32")
    binary("max", "max({0}, {1})", lambda a, b: {max(a, b)})
    binary("min", "min({0}, {1})", lambda a, b: {min(a, b)})
    unary("~", "(~{0})", lambda a: {wrap(kind, ~a)})
    unary("abs", "abs({0})", lambda a: {wrap(kind, abs(a))})
    if kind == "i32":
        unary("-", "(-{0})", lambda a: {wrap(kind, -a)})
        unary("sign", "sign({0})", lambda a: {(a > 0) - (a < 0)})
    unary("countLeadingZeros", "countLeadingZeros({0})", lambda a: {32 - (a & U32_MAX).bit_length()})
    unary("countOneBits", "countOneBits({0})", lambda a: {bin(a & U32_MAX).count("1")})
    unary("countTrailingZeros", "countTrailingZeros({0})",
          lambda a: {32 if a == 0 else ((a & -a).bit_length() - 1)})
    unary("firstLeadingBit", "firstLeadingBit({0})", lambda a: {first_leading(kind, a)})
    unary("firstTrailingBit", "firstTrailingBit({0})",
          lambda a: {wrap(kind, -1) if a == 0 else ((a & -a).bit_length() - 1)})
    unary("reverseBits", "reverseBits({0})", lambda a: {wrap(kind, int(f"{a & U32_MAX:032b}"[::-1], 2))})
    rows.append(Row(f"{kind} clamp", "clamp({0}, {1}, {2})", [(kind, 0)] * 3, [(kind, 0)],
                    triples(integers(kind, 2)), lambda e, low, high: {min(max(e, low), high), sorted((e, low, high))[1]},
                    lambda e, low, high: low <= high, "int"))
    rows.append(Row(f"{kind} select", "select({0}, {1}, {2})", [(kind, 0), (kind, 0), ("bool", 0)], [(kind, 0)],
                    [(a, b, c) for a, b in two[:60] for c in (0, 1)], lambda a, b, c: {b if c else a}))
    fields = [(e, o, n) for e in integers(kind, 2)[::2] for o in (0, 1, 5, 31, 32, 33, U32_MAX)
              for n in (0, 1, 3, 27, 31, 32, 33, U32_MAX)]
    within = lambda *case: case[-2] + case[-1] <= 32
    for width in (1, 2, 3, 4):  # offset and count are one number for all components
        rows.append(Row(f"{kind} extractBits", "extractBits({0}, {1}, {2})",
                        [(kind, width), ("u32", 1), ("u32", 1)], [(kind, width)],
                        [([e] * width if width > 1 else e, o, n) for e, o, n in fields],
                        lambda e, o, n: per_component(e, lambda x: {extract(kind, x, o, n)}), within))
        rows.append(Row(f"{kind} insertBits", "insertBits({0}, {1}, {2}, {3})",
                        [(kind, width), (kind, width), ("u32", 1), ("u32", 1)], [(kind, width)],
                        [([e] * width if width > 1 else e, [e ^ 0x1234567] * width if width > 1 else e ^ 0x1234567, o, n)
                         for e, o, n in fields],
                        lambda e, new, o, n: per_component2(e, new, lambda x, y: {insert(kind, x, y, o, n)}), within))
    for width in (2, 3, 4):
        rows.append(Row(f"{kind} dot", "dot({0}, {1})", [(kind, width)] * 2, [(kind, 1)],
                        vectors(values, [width, width], 60),
                        lambda a, b: {wrap(kind, sum(x * y for x, y in zip(a, b)))}, None, None))
    other = "u32" if kind == "i32" else "i32"
    rows.append(Row(f"{kind} to {other}", f"TO<{other}>" + "({0})", [(kind, 0)], [(other, 0)], [(x,) for x in values],
                    lambda a: {wrap(other, a)}))
    rows.append(Row(f"{kind} bitcast {other}", "bitcast<TYPE<" + other + ">>({0})", [(kind, 0)], [(other, 0)],
                    [(x,) for x in values], lambda a: {wrap(other, a)}))
    rows.append(Row(f"{kind} to bool", "TO<bool>({0})", [(kind, 0)], [("bool", 0)], [(x,) for x in values],
                    lambda a: {int(a != 0)}))
    rows.append(Row(f"{kind} to f32", "TO<f32>({0})", [(kind, 0)], [("f32", 0)], [(x,) for x in values],
                    lambda a: F32.rounded(Fraction(a))))
    rows.append(Row(f"{kind} to f16", "TO<f16>({0})", [(kind, 0)], [("f16", 0)], [(x,) for x in values],
                    lambda a: F16.rounded(Fraction(a)), lambda a: abs(a) <= 65504))
    rows.append(Row(f"{kind} bitcast f32", "bitcast<TYPE<f32>>({0})", [(kind, 0)], [("f32", 0)],
                    [(x,) for x in values if math.isfinite(F32.value(x & U32_MAX))],
                    lambda a: flushed(F32, F32.value(a & U32_MAX))))
    return rows


def per_component(e, f):
    return [f(x) for x in e] if isinstance(e, list) else f(e)


def per_component2(e, other, f):
    return [f(x, y) for x, y in zip(e, other)] if isinstance(e, list) else f(e, other)


def flushed(t, x):
    return t.rounded(Fraction(x))


# ---- booleans

def bool_rows():
    both = [(a, b) for a in (0, 1) for b in (0, 1)]
    rows = [Row("bool !", "(!{0})", [("bool", 0)], [("bool", 0)], [(0,), (1,)] * 4, lambda a: {1 - a})]
    for op, f in (("&", lambda a, b: a & b), ("|", lambda a, b: a | b), ("==", lambda a, b: int(a == b)),
                  ("!=", lambda a, b: int(a != b))):
        rows.append(Row("bool " + op, "({0} %s {1})" % op, [("bool", 0)] * 2, [("bool", 0)], both * 4,
                        lambda a, b, f=f: {f(a, b)}))
    for op, f in (("&&", lambda a, b: a & b), ("||", lambda a, b: a | b)):
        rows.append(Row("bool " + op, "({0} %s {1})" % op, [("bool", 1)] * 2, [("bool", 1)], both,
                        lambda a, b, f=f: {f(a, b)}))
    rows.append(Row("bool select", "select({0}, {1}, {2})", [("bool", 0)] * 3, [("bool", 0)],
                    list(itertools.product((0, 1), repeat=3)) * 3, lambda a, b, c: {b if c else a}))
    for width in (1, 2, 3, 4):
        every = [(list(v) if width > 1 else v[0],) for v in itertools.product((0, 1), repeat=width)]
        rows.append(Row("all", "all({0})", [("bool", width)], [("bool", 1)], every,
                        lambda v: {int(all(v) if isinstance(v, list) else v)}))
        rows.append(Row("any", "any({0})", [("bool", width)], [("bool", 1)], every,
                        lambda v: {int(any(v) if isinstance(v, list) else v)}))
    for target, t in (("i32", None), ("u32", None), ("f32", F32), ("f16", F16)):
        rows.append(Row("bool to " + target, "TO<%s>({0})" % target, [("bool", 0)], [(target, 0)], [(0,), (1,)] * 4,
                        lambda a, t=t: t.point(float(a)) if t else {a}))
    return rows


# ---- floats

def to_integer(kind, t, x):
    low, high = (I32_MIN, I32_MAX) if kind == "i32" else (0, U32_MAX)
    if low <= math.trunc(x) <= high:
        return {math.trunc(x)}
    if x < low:
        return {low if low == 0 or t is F32 else int(-t.max)}
    return {int(t.down(float(high))) if t is F32 else int(t.max)}


def comparison(t, f):
    def allowed(a, b):
        return {int(f(x, y)) for x in ({a, 0.0} if t.subnormal(a) else {a}) for y in ({b, 0.0} if t.subnormal(b) else {b})}
    return allowed


def frexp_results(t, x):
    if t.subnormal(x):
        return ANY, None
    fraction, exponent = math.frexp(x)
    return t.point(fraction), {exponent}


def float_rows(kind):
    t = FLOATS[kind]
    p = t.point
    rows = []
    values = [(x,) for x in numbers(t)]
    two = pairs(few(t)) + random.Random(7).sample(pairs(numbers(t)), 300)

    def unary(name, reference, text=None, cases=values, constant=None, abstract="float"):
        rows.append(Row(f"{kind} {name}", text or name + "({0})", [(kind, 0)], [(kind, 0)], cases,
                        lambda x: reference(p(x)), constant, abstract))

    def binary(name, reference, text=None, cases=two, constant=None):
        rows.append(Row(f"{kind} {name}", text or name + "({0}, {1})", [(kind, 0)] * 2, [(kind, 0)], cases,
                        lambda x, y: reference(p(x), p(y)), constant, "float"))

    for op, f in (("+", t.add), ("-", t.sub), ("*", t.mul), ("/", t.div), ("%", t.rem)):
        binary(op, f, "({0} %s {1})" % op)
    for op, f in (("==", lambda a, b: a == b), ("!=", lambda a, b: a != b), ("<", lambda a, b: a < b),
                  ("<=", lambda a, b: a <= b), (">", lambda a, b: a > b), (">=", lambda a, b: a >= b)):
        rows.append(Row(f"{kind} {op}", "({0} %s {1})" % op, [(kind, 0)] * 2, [("bool", 0)], two, comparison(t, f),
                        None, "float"))
    unary("-", t.neg, "(-{0})")
    wave = [(t.nearest(k * math.pi / 24),) for k in range(-24, 25)] + values
    unit = [(t.nearest(k / 32),) for k in range(-32, 33)] + values
    for name, f, cases in (
            ("abs", t.abs, values), ("ceil", t.ceil, values), ("floor", t.floor, values), ("trunc", t.trunc, values),
            ("round", t.round, values), ("fract", t.fract, values), ("sign", t.sign, values),
            ("saturate", t.saturate, values), ("sqrt", t.sqrt, values), ("inverseSqrt", t.inverse_sqrt, values),
            ("exp", t.exp, values), ("exp2", t.exp2, values), ("log", t.log, values), ("log2", t.log2, values),
            ("sin", t.sin, wave), ("cos", t.cos, wave), ("tan", t.tan, wave), ("asin", t.asin, unit),
            ("acos", t.acos, unit), ("atan", t.atan, values), ("sinh", t.sinh, values), ("cosh", t.cosh, values),
            ("tanh", t.tanh, values), ("asinh", t.asinh, values), ("acosh", t.acosh, values), ("atanh", t.atanh, unit),
            ("degrees", t.degrees, values), ("radians", t.radians, values)):
        unary(name, f, cases=cases)
    binary("max", t.max2)
    binary("min", t.min2)
    binary("step", t.step)
    binary("pow", t.pow, cases=two + pairs(moderate(t)))
    binary("atan2", t.atan2)
    three = triples(few(t, count=2))

    def ternary(name, reference, cases=three, constant=None):
        rows.append(Row(f"{kind} {name}", name + "({0}, {1}, {2})", [(kind, 0)] * 3, [(kind, 0)], cases,
                        lambda x, y, z: reference(p(x), p(y), p(z)), constant, "float"))

    ternary("clamp", t.clamp, constant=lambda e, low, high: low <= high)
    ternary("fma", t.fma)
    ternary("mix", t.mix, three + triples(moderate(t)))
    ternary("smoothstep", t.smoothstep, three + triples(moderate(t)), lambda low, high, x: low < high)
    rows.append(Row(f"{kind} select", "select({0}, {1}, {2})", [(kind, 0), (kind, 0), ("bool", 0)], [(kind, 0)],
                    [(a, b, c) for a, b in two[:60] for c in (0, 1)], lambda a, b, c: flushed(t, b if c else a)))
    limit = t.highest + 1
    exponents = [0, 1, -1, 5, -5, limit, limit - 1, -limit, 1 - limit, -limit - t.precision, 200, -300]
    rows.append(Row(f"{kind} ldexp", "ldexp({0}, {1})", [(kind, 0), ("i32", 0)], [(kind, 0)],
                    pairs(few(t), exponents), lambda x, n: t.ldexp(p(x), n) if n <= limit else ANY,
                    lambda x, n: n <= limit))
    rows.append(Row(f"{kind} frexp.fract", "frexp({0}).fract", [(kind, 0)], [(kind, 0)], values,
                    lambda x: frexp_results(t, x)[0], None, "float"))
    rows.append(Row(f"{kind} frexp.exp", "frexp({0}).exp", [(kind, 0)], [("i32", 0)], values,
                    lambda x: frexp_results(t, x)[1]))
    rows.append(Row(f"{kind} modf.fract", "modf({0}).fract", [(kind, 0)], [(kind, 0)], values,
                    lambda x: flushed(t, Fraction(x) - math.trunc(x)), None, "float"))
    rows.append(Row(f"{kind} modf.whole", "modf({0}).whole", [(kind, 0)], [(kind, 0)], values,
                    lambda x: t.trunc(p(x)), None, "float"))
    for target in ("i32", "u32"):
        edge = [(t.nearest(x),) for x in (2147483520.0, 2147483648.0, 2147483904.0, -2147483648.0, -2147483904.0,
                                          4294967040.0, 4294967296.0, -0.5, -0.99, -1.0, 0.99, 1e10, -1e10, 65504.0)
                if math.isfinite(t.nearest(x))]
        rows.append(Row(f"{kind} to {target}", f"TO<{target}>" + "({0})", [(kind, 0)], [(target, 0)], values + edge,
                        lambda x, target=target: to_integer(target, t, x)))
    rows.append(Row(f"{kind} to bool", "TO<bool>({0})", [(kind, 0)], [("bool", 0)], values,
                    lambda x: {int(x != 0)} | ({0} if t.subnormal(x) else set())))
    other = F16 if t is F32 else F32
    rows.append(Row(f"{kind} to {other.name}", f"TO<{other.name}>" + "({0})", [(kind, 0)], [(other.name, 0)], values,
                    lambda x: t.lift(lambda a: other.rounded(Fraction(a)), p(x)), lambda x: abs(x) <= other.max))
    for width in (1, 2, 3, 4):
        rows += vector_rows(kind, t, width)
    for width in (2, 3, 4):  # mix with one scalar blend
        rows.append(Row(f"{kind} mix scalar", "mix({0}, {1}, {2})", [(kind, width), (kind, width), (kind, 1)],
                        [(kind, width)], vectors(moderate(t), [width, width, 1], 60),
                        lambda x, y, z: [t.mix(p(a), p(b), p(z)) for a, b in zip(x, y)], None, "float"))
        for op, f in (("+", t.add), ("-", t.sub), ("*", t.mul), ("/", t.div), ("%", t.rem)):
            rows.append(Row(f"{kind} vector {op} scalar", "({0} %s {1})" % op, [(kind, width), (kind, 1)],
                            [(kind, width)], vectors(few(t), [width, 1], 60),
                            lambda x, y, f=f: [f(p(a), p(y)) for a in x], None, "float"))
            rows.append(Row(f"{kind} scalar {op} vector", "({0} %s {1})" % op, [(kind, 1), (kind, width)],
                            [(kind, width)], vectors(few(t), [1, width], 60),
                            lambda x, y, f=f: [f(p(x), p(b)) for b in y], None, "float"))
    return rows


def vector_rows(kind, t, width):
    points = lambda v: [t.point(x) for x in v] if isinstance(v, list) else [t.point(v)]
    some = lambda arguments, count=60, source=None: vectors(source or moderate(t), arguments, count)
    edge = vectors(few(t), [width, width, width], 40)
    rows = [Row(f"{kind} length", "length({0})", [(kind, width)], [(kind, 1)], some([width]) + [(c[0],) for c in edge],
                lambda x: t.length(points(x)), None, "float"),
            Row(f"{kind} distance", "distance({0}, {1})", [(kind, width)] * 2, [(kind, 1)],
                some([width, width]) + [c[:2] for c in edge], lambda x, y: t.distance(points(x), points(y)), None, "float")]
    if width == 1:
        return rows
    rows.append(Row(f"{kind} dot", "dot({0}, {1})", [(kind, width)] * 2, [(kind, 1)],
                    some([width, width]) + [c[:2] for c in edge], lambda x, y: t.dot(points(x), points(y)), None, "float"))
    rows.append(Row(f"{kind} normalize", "normalize({0})", [(kind, width)], [(kind, width)],
                    some([width]) + [(c[0],) for c in edge], lambda x: t.normalize(points(x)), None, "float"))
    rows.append(Row(f"{kind} reflect", "reflect({0}, {1})", [(kind, width)] * 2, [(kind, width)],
                    some([width, width]), lambda x, y: t.reflect(points(x), points(y)), None, "float"))
    small = [x / 8 for x in moderate(t)]
    rows.append(Row(f"{kind} refract", "refract({0}, {1}, {2})", [(kind, width), (kind, width), (kind, 1)],
                    [(kind, width)], some([width, width, 1], 80, [t.nearest(x) for x in small]),
                    lambda x, y, z: t.refract(points(x), points(y), t.point(z)), None, "float"))
    rows.append(Row(f"{kind} faceForward", "faceForward({0}, {1}, {2})", [(kind, width)] * 3, [(kind, width)],
                    some([width] * 3), lambda x, y, z: t.face_forward(points(x), points(y), points(z)), None, "float"))
    if width == 3:
        rows.append(Row(f"{kind} cross", "cross({0}, {1})", [(kind, 3)] * 2, [(kind, 3)], some([3, 3]),
                        lambda x, y: t.cross(points(x), points(y)), None, "float"))
    return rows


# ---- matrices: an argument is a list of columns * rows scalars

def matrix_rows(kind):
    t = FLOATS[kind]
    p = t.point
    rows = []
    values = moderate(t)
    source = random.Random(8)

    def matrix(c, r):
        return [source.choice(values) for _ in range(c * r)]

    def shape(c, r):
        return (f"{kind} {c}x{r}", c * r)

    for c, r in itertools.product((2, 3, 4), repeat=2):
        one = [(matrix(c, r), matrix(c, r)) for _ in range(12)]
        for op, f in (("+", t.add), ("-", t.sub)):
            rows.append(Row(f"{kind} mat{c}x{r} {op}", "({0} %s {1})" % op, [shape(c, r)] * 2, [shape(c, r)], one,
                            lambda a, b, f=f: [f(p(x), p(y)) for x, y in zip(a, b)], None, "float"))
        scaled = [(m, source.choice(values)) for m, _ in one]
        rows.append(Row(f"{kind} mat{c}x{r} * scalar", "({0} * {1})", [shape(c, r), (kind, 1)], [shape(c, r)], scaled,
                        lambda m, s: [t.mul(p(x), p(s)) for x in m], None, "float"))
        rows.append(Row(f"{kind} scalar * mat{c}x{r}", "({0} * {1})", [(kind, 1), shape(c, r)], [shape(c, r)],
                        [(s, m) for m, s in scaled], lambda s, m: [t.mul(p(x), p(s)) for x in m], None, "float"))
        rows.append(Row(f"{kind} mat{c}x{r} * vec", "({0} * {1})", [shape(c, r), (kind, c)], [(kind, r)],
                        [(m, matrix(c, 1)) for m, _ in one],
                        lambda m, v, c=c, r=r: [t.dot([p(m[k * r + i]) for k in range(c)], [p(x) for x in v])
                                                for i in range(r)], None, "float"))
        rows.append(Row(f"{kind} vec * mat{c}x{r}", "({0} * {1})", [(kind, r), shape(c, r)], [(kind, c)],
                        [(matrix(1, r), m) for m, _ in one],
                        lambda v, m, c=c, r=r: [t.dot([p(x) for x in v], [p(m[k * r + i]) for i in range(r)])
                                                for k in range(c)], None, "float"))
        rows.append(Row(f"{kind} transpose {c}x{r}", "transpose({0})", [shape(c, r)], [shape(r, c)],
                        [(m,) for m, _ in one], lambda m, c=c, r=r: [p(m[k * r + i]) for i in range(r) for k in range(c)],
                        None, "float"))
        for n in (2, 3, 4):
            rows.append(Row(f"{kind} mat{c}x{r} * mat{n}x{c}", "({0} * {1})", [shape(c, r), shape(n, c)], [shape(n, r)],
                            [(matrix(c, r), matrix(n, c)) for _ in range(6)],
                            lambda a, b, c=c, r=r, n=n: [t.dot([p(a[k * r + i]) for k in range(c)],
                                                               [p(b[j * c + k]) for k in range(c)])
                                                         for j in range(n) for i in range(r)], None, "float"))
        if c == r:
            whole = [([float(source.randrange(-4, 5)) for _ in range(c * c)],) for _ in range(20)]
            rows.append(Row(f"{kind} determinant {c}", "determinant({0})", [shape(c, c)], [(kind, 1)], whole,
                            lambda m, c=c: p(float(determinant([m[k * c:k * c + c] for k in range(c)]))), None, "float"))
        other = F16 if t is F32 else F32
        rows.append(Row(f"{kind} mat{c}x{r} to {other.name}", "mat%dx%d<%s>({0})" % (c, r, other.name), [shape(c, r)],
                        [(f"{other.name} {c}x{r}", c * r)], [(m,) for m, _ in one],
                        lambda m: [other.rounded(Fraction(x)) for x in m]))
    return rows


def determinant(columns):
    if len(columns) == 1:
        return columns[0][0]
    return sum((-1) ** i * columns[0][i] * determinant([c[:i] + c[i + 1:] for c in columns[1:]])
               for i in range(len(columns)))


# ---- packing

def signed(x, bits):
    x &= (1 << bits) - 1
    return x - (1 << bits) if x >> (bits - 1) else x


def join(channels, bits):
    return sum((c & (1 << bits) - 1) << (bits * i) for i, c in enumerate(channels))


def normalized_choices(x, scale, low):
    """floor(0.5 + scale * clamp(x)), the sum rounded up or down."""
    exact = Fraction(1, 2) + scale * Fraction(min(max(x, low), 1.0))
    out = {math.floor(exact)}
    if F32.subnormal(x):
        out.add(math.floor(Fraction(1, 2)))
    near = F32.rounded(exact)
    product = F32.rounded(scale * Fraction(min(max(x, low), 1.0)))
    total = F32.add(product, F32.point(0.5))
    return out | {math.floor(near.low), math.floor(near.high), math.floor(total.low), math.floor(total.high)}


def packed(choices, bits):
    return {join(c, bits) for c in itertools.product(*choices)}


def half_choices(x):
    allowed = F16.rounded(Fraction(x))
    if allowed.any:
        return None
    return {F16.bits(v) for v in {allowed.low, allowed.high, F16.nearest(x)}} | ({0, 0x8000} if allowed.holds(0.0) else set())


def pack_rows():
    rows = []
    source = random.Random(9)
    unit = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 0.25, 1.5, -1.5, 100.0, -100.0, F32.max, -F32.max, F32.nearest(1e-20), F32.tiny,
            F32.nearest(1 / 255), F32.nearest(1 / 127), F32.nearest(0.1), F32.nearest(-0.7)]
    unit += [F32.nearest(source.uniform(-1.2, 1.2)) for _ in range(20)]
    words = integers("u32", 30)
    for name, lanes, bits, scale, low in (("pack4x8snorm", 4, 8, 127, -1.0), ("pack4x8unorm", 4, 8, 255, 0.0),
                                          ("pack2x16snorm", 2, 16, 32767, -1.0), ("pack2x16unorm", 2, 16, 65535, 0.0)):
        rows.append(Row(name, name + "({0})", [("f32", lanes)], [("u32", 1)], vectors(unit, [lanes], 80),
                        lambda v, scale=scale, low=low, bits=bits:
                        packed([normalized_choices(x, scale, low) for x in v], bits)))
        channel = (lambda w, i, bits=bits: signed(w >> (bits * i), bits)) if low else \
            (lambda w, i, bits=bits: (w >> (bits * i)) & (1 << bits) - 1)
        rows.append(Row("un" + name, "un" + name + "({0})", [("u32", 1)], [("f32", lanes)], [(w,) for w in words],
                        lambda w, lanes=lanes, scale=scale, channel=channel:
                        [F32.near(max(channel(w, i) / scale, -1.0), 3) for i in range(lanes)]))
    halves = [x for x in numbers(F32, 10) if abs(x) <= 65504] + [65504.0, -65504.0, 2.0 ** -24, 2.0 ** -25, 65500.0]
    rows.append(Row("pack2x16float", "pack2x16float({0})", [("f32", 2)], [("u32", 1)], vectors(halves, [2], 80),
                    lambda v: packed([half_choices(x) for x in v], 16)))
    finite = [w for w in words if (w & 0x7c00) != 0x7c00 and (w >> 16 & 0x7c00) != 0x7c00]
    rows.append(Row("unpack2x16float", "unpack2x16float({0})", [("u32", 1)], [("f32", 2)], [(w,) for w in finite],
                    lambda w: [half_flushed(w & 0xffff), half_flushed(w >> 16)]))
    rows.append(Row("quantizeToF16", "quantizeToF16({0})", [("f32", 0)], [("f32", 0)],
                    [(x,) for x in numbers(F32) + halves], lambda x: F32.quantize(F32.point(x)),
                    lambda x: abs(x) <= 65504))
    for name, kind, low, high in (("pack4xI8", "i32", None, None), ("pack4xU8", "u32", None, None),
                                  ("pack4xI8Clamp", "i32", -128, 127), ("pack4xU8Clamp", "u32", 0, 255)):
        rows.append(Row(name, name + "({0})", [(kind, 4)], [("u32", 1)], vectors(integers(kind), [4], 60),
                        lambda v, low=low, high=high:
                        {join([x if low is None else min(max(x, low), high) for x in v], 8)}))
    rows.append(Row("unpack4xI8", "unpack4xI8({0})", [("u32", 1)], [("i32", 4)], [(w,) for w in words],
                    lambda w: [{signed(w >> 8 * i, 8)} for i in range(4)]))
    rows.append(Row("unpack4xU8", "unpack4xU8({0})", [("u32", 1)], [("u32", 4)], [(w,) for w in words],
                    lambda w: [{w >> 8 * i & 255} for i in range(4)]))
    both = pairs(words[::3])
    rows.append(Row("dot4U8Packed", "dot4U8Packed({0}, {1})", [("u32", 1)] * 2, [("u32", 1)], both,
                    lambda a, b: {sum((a >> 8 * i & 255) * (b >> 8 * i & 255) for i in range(4))}))
    rows.append(Row("dot4I8Packed", "dot4I8Packed({0}, {1})", [("u32", 1)] * 2, [("i32", 1)], both,
                    lambda a, b: {sum(signed(a >> 8 * i, 8) * signed(b >> 8 * i, 8) for i in range(4))}))
    floats = [x for x in numbers(F32)]
    for target in ("i32", "u32"):
        rows.append(Row(f"f32 bitcast {target}", f"bitcast<TYPE<{target}>>" + "({0})", [("f32", 0)], [(target, 0)],
                        [(x,) for x in floats],
                        lambda x, target=target: {wrap(target, F32.bits(y)) for y in
                                                  ({x, math.copysign(0.0, x), 0.0} if F32.subnormal(x) else {x})}))
    rows.append(Row("f32 bitcast f32", "bitcast<TYPE<f32>>({0})", [("f32", 0)], [("f32", 0)], [(x,) for x in floats],
                    lambda x: flushed(F32, x)))
    h = [x for x in numbers(F16) if x == 0 or abs(x) >= F16.normal]
    rows.append(Row("vec2<f16> bitcast u32", "bitcast<u32>({0})", [("f16", 2)], [("u32", 1)], vectors(h, [2], 60),
                    lambda v: {join([F16.bits(x) for x in v], 16)}))
    rows.append(Row("vec4<f16> bitcast vec2<i32>", "bitcast<vec2<i32>>({0})", [("f16", 4)], [("i32", 2)],
                    vectors(h, [4], 60), lambda v: [{wrap("i32", join([F16.bits(x) for x in v[i:i + 2]], 16))}
                                                    for i in (0, 2)]))
    usable = [w for w in finite if half_normal(w & 0xffff) and half_normal(w >> 16)]
    rows.append(Row("u32 bitcast vec2<f16>", "bitcast<vec2<f16>>({0})", [("u32", 1)], [("f16", 2)],
                    [(w,) for w in usable], lambda w: [F16.point(F16.value(w & 0xffff)), F16.point(F16.value(w >> 16))]))
    rows.append(Row("vec2<u32> bitcast vec4<f16>", "bitcast<vec4<f16>>({0})", [("u32", 2)], [("f16", 4)],
                    vectors(usable, [2], 40), lambda v: [F16.point(F16.value(w >> s & 0xffff)) for w in v for s in (0, 16)]))
    return rows


def half_normal(bits):
    x = F16.value(bits)
    return x == 0 or abs(x) >= F16.normal


def half_flushed(bits):
    x = F16.value(bits)
    return F16.rounded(Fraction(x))


def rows(f16=True):
    every = integer_rows("i32") + integer_rows("u32") + bool_rows() + float_rows("f32") + matrix_rows("f32") + pack_rows()
    if f16:
        return every + float_rows("f16") + matrix_rows("f16")
    uses = lambda row: any("f16" in kind for kind, _ in row.parameters + row.results)
    return [row for row in every if not uses(row)]
