"""A table's row as programs, in three forms: arguments read from a storage buffer, const-expressions of literals, and
override-expressions. Values travel as u32 words: one for each scalar, so that no layout is at stake here."""

import math
import struct

from floats import F16, F32, Interval

GROUP = 64  # invocations of a workgroup
BATCH = 64  # const- and override-expressions a program


class Type:
    """One of i32, u32, f32, f16, bool, as scalar, vector or matrix."""

    def __init__(self, kind, width):
        self.scalar, _, shape = kind.partition(" ")
        self.shape = tuple(int(n) for n in shape.split("x")) if shape else None
        self.count = width

    @property
    def text(self):
        if self.shape:
            return "mat%dx%d<%s>" % (*self.shape, self.scalar)
        return self.scalar if self.count == 1 else f"vec{self.count}<{self.scalar}>"

    def with_scalar(self, scalar):
        return scalar if self.count == 1 else f"vec{self.count}<{scalar}>"

    def made_of(self, scalars, type_name=None):
        """An expression of this type from its scalars' texts."""
        return scalars[0] if self.count == 1 else f"{type_name or self.text}({', '.join(scalars)})"

    def abstract_name(self):
        return "mat%dx%d" % self.shape if self.shape else f"vec{self.count}"

    def lane(self, name, i):
        if self.shape:
            return f"{name}[{i // self.shape[1]}][{i % self.shape[1]}]"
        return name if self.count == 1 else f"{name}.{'xyzw'[i]}"


def from_word(scalar, word):
    return {"i32": f"bitcast<i32>({word})", "u32": word, "f32": f"bitcast<f32>({word})", "bool": f"({word} != 0u)",
            "f16": f"bitcast<vec2<f16>>({word}).x"}[scalar]


def to_word(scalar, value):
    return {"i32": f"bitcast<u32>({value})", "u32": value, "f32": f"bitcast<u32>({value})",
            "bool": f"select(0u, 1u, {value})", "f16": f"bitcast<u32>(vec2<f16>({value}, 0h))"}[scalar]


def word_of(scalar, x):
    if scalar == "f32":
        return F32.bits(x)
    return F16.bits(x) if scalar == "f16" else int(x) & 0xFFFFFFFF


def literal(scalar, x, abstract=False):
    if scalar == "bool":
        return "true" if x else "false"
    if scalar in ("i32", "u32"):
        if abstract:
            return f"({x})"
        return f"{x}u" if scalar == "u32" else "i32(-2147483648)" if x == -2**31 else f"({x}i)"
    t = F32 if scalar == "f32" else F16
    text = t.literal(x)
    if abstract:
        text = text[:-1]
    return f"({text})"


def allowed(expected, scalar, word):
    """Whether the word is one of what the reference allows; None is everything."""
    if expected is None:
        return True
    if isinstance(expected, Interval):
        if expected.any:
            return True
        t = F32 if scalar == "f32" else F16
        x = t.value(word & (2 ** t.width - 1))
        return not math.isnan(x) and expected.holds(x)
    if scalar == "i32":
        word = word - 2**32 if word > 2**31 - 1 else word
    return word in expected


def shown(scalar, word):
    if scalar in ("f32", "f16"):
        t = F32 if scalar == "f32" else F16
        return repr(t.value(word & (2 ** t.width - 1)))
    return str(word - 2**32 if scalar == "i32" and word > 2**31 - 1 else word)


class Test:
    """A row at one width; with `most`, about so many of its cases, spread over all."""

    def __init__(self, row, width, most=None):
        self.row, self.width = row, width
        self.parameters = [Type(kind, n or width) for kind, n in row.parameters]
        self.results = [Type(kind, n or width) for kind, n in row.results]
        self.name = f"{row.name} ({', '.join(t.text for t in self.parameters)})"
        self.cases = self.grouped() if width else list(row.cases)
        if most and len(self.cases) > most:
            self.cases = self.cases[::(len(self.cases) + most - 1) // most]

    def grouped(self):
        """Component-wise: `width` of the row's cases make one, the last filled up from the first."""
        if self.width == 1:
            return list(self.row.cases)
        cases = list(self.row.cases)
        cases += cases[:-len(cases) % self.width]
        return [tuple(list(arguments) for arguments in zip(*cases[i:i + self.width]))
                for i in range(0, len(cases), self.width)]

    def expected(self, case):
        """What is allowed, one entry for each scalar of the result."""
        if self.width > 1:
            return [self.one(scalars) for scalars in zip(*case)]
        if self.width == 1:
            return [self.one(case)]
        answer = self.row.reference(*case)
        return answer if isinstance(answer, list) else [answer]

    def one(self, scalars):
        answer = self.row.reference(*scalars)
        return answer[0] if isinstance(answer, list) else answer

    def is_constant(self, case, form):
        scalar_cases = zip(*case) if self.width > 1 else [case]
        return all(self.row.constant(*scalars) and (form != "abstract" or self.row.exact(*scalars))
                   for scalars in scalar_cases)

    def uses_f16(self):
        return any(t.scalar == "f16" for t in self.parameters + self.results) or "f16" in self.row.text

    def expression(self, arguments):
        """The row's text; TO<T> is a conversion to T, TYPE<T> the type, of the width under test."""
        text = self.row.text.format(*arguments) if "{0}" in self.row.text else self.row.text
        for scalar in ("i32", "u32", "f32", "f16", "bool"):
            name = scalar if self.width == 1 else f"vec{self.width}<{scalar}>"
            text = text.replace(f"TO<{scalar}>", name).replace(f"TYPE<{scalar}>", name)
        return text

    def words(self, types, case):
        out = []
        for t, argument in zip(types, case):
            scalars = argument if isinstance(argument, list) else [argument]
            out += [word_of(t.scalar, x) for x in scalars]
        return out

    # ---- programs

    def header(self):
        return ("enable f16;\n" if self.uses_f16() else "") + \
            "@group(0) @binding(1) var<storage, read_write> output: array<u32>;\n"

    def store(self, at, name):
        lines, n = [], 0
        for t in self.results:
            for i in range(t.count):
                lines.append(f"  output[{at} + {n}] = {to_word(t.scalar, t.lane(name, i))};")
                n += 1
        return lines

    @property
    def result_words(self):
        return sum(t.count for t in self.results)

    def run_time(self):
        """(WGSL, input words, workgroups)."""
        stride = sum(t.count for t in self.parameters)
        lines = [self.header() + "@group(0) @binding(0) var<storage, read> input: array<u32>;",
                 f"@compute @workgroup_size({GROUP})", "fn main(@builtin(global_invocation_id) id: vec3<u32>) {",
                 "  let n = id.x;", f"  if n >= {len(self.cases)}u {{ return; }}"]
        names, at = [], 0
        for k, t in enumerate(self.parameters):
            scalars = [from_word(t.scalar, f"input[n * {stride} + {at + i}]") for i in range(t.count)]
            lines.append(f"  let a{k}: {t.text} = {t.made_of(scalars)};")
            names.append(f"a{k}")
            at += t.count
        lines.append(f"  let result = {self.expression(names)};")
        lines += self.store(f"n * {self.result_words}", "result") + ["}", ""]
        words = [w for case in self.cases for w in self.words(self.parameters, case)]
        return "\n".join(lines), words, (len(self.cases) + GROUP - 1) // GROUP

    def early(self, cases, form):
        """form: "const", "abstract" or "override". One statement list for all the cases: (WGSL, line of each case)."""
        head = self.header()
        if form == "override":
            head += "override on = true;\n"
        lines = head.split("\n")[:-1] + ["@compute @workgroup_size(1)", "fn main() {"]
        places = []
        for k, case in enumerate(cases):
            arguments = []
            for t, argument in zip(self.parameters, case):
                scalars = argument if isinstance(argument, list) else [argument]
                literals = [literal(t.scalar, x, form == "abstract") for x in scalars]
                if form == "override":
                    literals = [f"select({text}, {text}, on)" for text in literals]
                arguments.append(t.made_of(literals, t.abstract_name() if form == "abstract" else None))
            places.append(len(lines) + 1)
            expression = self.expression(arguments)
            if form == "override":
                lines.append(f"  let r{k} = {expression};")
            elif form == "abstract":
                lines.append(f"  const r{k}: {self.results[0].text} = {expression};")
            else:
                lines.append(f"  const r{k} = {expression};")
            lines += self.store(f"{k * self.result_words}", f"r{k}")
        return "\n".join(lines + ["}", ""]), places

    def early_cases(self, form):
        """Those that have a value at shader creation: in the domain, no overflow."""
        out = []
        for case in self.cases:
            if not self.is_constant(case, form):
                continue
            if any(isinstance(e, Interval) and e.any for e in self.expected(case)):
                continue
            out.append(case)
        return out


def tests(rows):
    return [Test(row, width) for row in rows for width in row.widths]


def pack_words(words):
    return struct.pack(f"<{len(words)}I", *words)
