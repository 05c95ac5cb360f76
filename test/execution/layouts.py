"""Random host-shareable types with their layout (section "Memory Layout"), and programs that move values of them
between address spaces. What a program must leave in its buffers follows from the layout alone."""

import random

SCALARS = {"i32": 4, "u32": 4, "f32": 4, "f16": 2}


def up(n, alignment):
    return (n + alignment - 1) // alignment * alignment


class Scalar:
    def __init__(self, kind):
        self.text, self.kind = kind, kind
        self.size = self.align = SCALARS[kind]

    def leaves(self, at, path):
        yield at, path, self.kind


class Vector:
    def __init__(self, kind, width):
        self.kind, self.width = kind, width
        self.text = f"vec{width}<{kind}>"
        self.size = width * SCALARS[kind]
        self.align = (2 if width == 2 else 4) * SCALARS[kind]

    def leaves(self, at, path):
        for i in range(self.width):
            yield at + i * SCALARS[self.kind], f"{path}.{'xyzw'[i]}", self.kind


class Matrix:
    def __init__(self, kind, columns, rows):
        self.columns, self.column = columns, Vector(kind, rows)
        self.text = f"mat{columns}x{rows}<{kind}>"
        self.align = self.column.align
        self.stride = up(self.column.size, self.column.align)
        self.size = columns * self.stride

    def leaves(self, at, path):
        for i in range(self.columns):
            yield from self.column.leaves(at + i * self.stride, f"{path}[{i}]")


class Array:
    def __init__(self, element, count):
        self.element, self.count = element, count
        self.text = f"array<{element.text}, {count}>"
        self.align = element.align
        self.stride = up(element.size, element.align)
        self.size = count * self.stride

    def leaves(self, at, path):
        for i in range(self.count):
            yield from self.element.leaves(at + i * self.stride, f"{path}[{i}]")


class Struct:
    """members: [(name, type, @size or 0, @align or 0)]"""

    def __init__(self, name, members):
        self.text, self.members, self.offsets = name, members, []
        end, self.align = 0, 1
        for _, t, size, align in members:
            align = align or t.align
            at = up(end, align)
            self.offsets.append(at)
            end = at + (size or t.size)
            self.align = max(self.align, align)
        self.size = up(end, self.align)

    def declaration(self):
        lines = []
        for name, t, size, align in self.members:
            attributes = (f"@align({align}) " if align else "") + (f"@size({size}) " if size else "")
            lines.append(f"  {attributes}{name}: {t.text},")
        return "struct %s {\n%s\n}\n" % (self.text, "\n".join(lines))

    def leaves(self, at, path):
        for (name, t, _, _), offset in zip(self.members, self.offsets):
            yield from t.leaves(at + offset, f"{path}.{name}")


class Random:
    def __init__(self, seed, f16=False):
        self.random = random.Random(seed)
        self.kinds = ["i32", "u32", "f32"] + (["f16"] * 2 if f16 else [])
        self.structs = []

    def type(self, depth):
        pick = self.random.random()
        kind = self.random.choice(self.kinds)
        if depth == 0 or pick < 0.5:
            if pick < 0.12:
                return Scalar(kind)
            if pick < 0.3:
                return Vector(kind, self.random.randint(2, 4))
            return Matrix(kind if kind in ("f32", "f16") else "f32", self.random.randint(2, 4), self.random.randint(2, 4))
        if pick < 0.75:
            return Array(self.type(depth - 1), self.random.randint(1, 3))
        return self.struct(depth - 1)

    def struct(self, depth):
        members = []
        for i in range(self.random.randint(1, 4)):
            t = self.type(depth)
            align = t.align << self.random.randint(0, 2) if self.random.random() < 0.2 else 0
            size = t.size + self.random.choice([4, 8, 12, 20]) if self.random.random() < 0.2 else 0
            members.append((f"m{i}", t, size, align))
        made = Struct(f"S{len(self.structs)}", members)
        self.structs.append(made)
        return made

    def declarations(self):
        return "".join(s.declaration() for s in self.structs)


# How a value gets from `source` to `target`: statements in main, and what stands at module scope.
ROUTES = {
    "whole": ("", "target_ = source;"),
    "variable": ("", "var copy = source; target_ = copy;"),
    "let": ("", "let copy = source; target_ = copy;"),
    "private": ("var<private> copy: T;", "copy = source; target_ = copy;"),
    "workgroup": ("var<workgroup> copy: T;", "copy = source; workgroupBarrier(); target_ = copy;"),
    "function": ("fn handed(x: T) -> T { return x; }", "target_ = handed(source);"),
    "pointer": ("fn put(p: ptr<function, T>, x: T) { *p = x; }", "var copy: T; put(&copy, source); target_ = copy;"),
    "pointers": ("fn put(p: ptr<storage, T, read_write>, x: ptr<storage, T>) { *p = *x; }", "put(&target_, &source);"),
    "array": ("", "var copies = array<T, 2>(); copies[i] = source; target_ = copies[i];"),
    "structure": ("struct Wrapped { a: u32, t: T, b: u32 }",
                  "var w: Wrapped; w.t = source; let v = w; target_ = v.t;"),
}

LEAF = {"i32": "bitcast<u32>({})", "u32": "{}", "f32": "bitcast<u32>({})", "f16": "bitcast<u32>(vec2<f16>({}, 0h))"}


class LayoutTest:
    """One random type on one route: `program()` and what it must leave."""

    def __init__(self, seed, f16=False, most=1500):
        source = Random(seed, f16)
        while True:
            source.structs.clear()
            self.type = source.struct(2) if source.random.random() < 0.7 else source.type(2)
            self.leaves = list(self.type.leaves(0, ""))
            if self.type.size <= most:
                break
        self.source = source
        self.f16 = f16
        self.route = source.random.choice(list(ROUTES))
        self.uniform = source.random.random() < 0.3 and self.route not in ("pointers",)
        self.name = f"layout {seed}{' f16' if f16 else ''}: {self.route}{', uniform' if self.uniform else ''}, {self.type.text}"

    def program(self):
        module, body = ROUTES[self.route]
        space = "var<uniform>" if self.uniform else "var<storage, read>"
        lines = ["enable f16;" if self.f16 else "", self.source.declarations() + f"alias T = {self.type.text};",
                 f"@group(0) @binding(0) {space} source: T;",
                 "@group(0) @binding(1) var<storage, read_write> target_: T;",
                 "@group(0) @binding(2) var<storage, read_write> output: array<u32>;", module,
                 "@compute @workgroup_size(1)",
                 "fn main(@builtin(local_invocation_index) i: u32) {", "  " + body]
        for n, (_, path, kind) in enumerate(self.leaves):
            lines.append(f"  output[{n}] = " + LEAF[kind].format("source" + path) + ";")
        return "\n".join(lines + ["}", ""])

    def bindings(self):
        size = up(self.type.size, 16 if self.uniform else 4)
        data = random.Random(1).randbytes(size)
        # Halves and floats must not be NaN, infinite or subnormal: a load may change those.
        out = bytearray(data)
        for at, _, kind in self.leaves:
            if kind == "f32":
                out[at + 3] = 0x40 | (out[at + 3] & 0x80)
            if kind == "f16":
                out[at + 1] = 0x40 | (out[at + 1] & 0x80)
        return [(0, 0, bytes(out)), (0, 1, bytes([0xA5]) * up(self.type.size, 4)), (0, 2, bytes(4 * len(self.leaves)))]

    def expected(self):
        """The contents of bindings 1 and 2."""
        source, target, words = (bytearray(data) for _, _, data in self.bindings())
        for n, (at, _, kind) in enumerate(self.leaves):
            size = SCALARS[kind]
            target[at:at + size] = source[at:at + size]
            words[4 * n:4 * n + size] = source[at:at + size]
        return bytes(target), bytes(words)
