"""Subgroup built-in functions. Each invocation says which subgroup it is in (the local index of its first invocation),
so that the reference knows who took part; the driver chooses the size."""

import struct

COUNT = 64  # invocations of the one workgroup
PROBES = {
    "f16": "@group(0) @binding(0) var<storage, read_write> o: array<u32>;\n"
           "@compute @workgroup_size(1) fn main() { o[0] = u32(f16(o[0])); }",
    "subgroups": "@group(0) @binding(0) var<storage, read_write> o: array<u32>;\n"
                 "@compute @workgroup_size(1) fn main() { o[0] = subgroupAdd(1u); }",
}
PROGRAM = """enable subgroups;
diagnostic(off, subgroup_uniformity);
@group(0) @binding(0) var<storage, read_write> output: array<vec4<u32>>;
@compute @workgroup_size({count})
fn main(@builtin(local_invocation_index) i: u32, @builtin(subgroup_invocation_id) lane: u32,
        @builtin(subgroup_size) size: u32) {{
  let x = (i * 7u) % 13u + 1u;
  var result = 0u;
  if {active} {{ result = {expression}; }}
  let first = subgroupBroadcastFirst(i);
  output[i] = vec4<u32>(first, lane, size, result);
}}
"""


def value(i):
    return i * 7 % 13 + 1


def product(values):
    out = 1
    for v in values:
        out = out * v & 0xFFFFFFFF
    return out


class SubgroupTest:
    """reference(members, lane, values): members are the active lanes' {lane: value}; None allows everything."""

    def __init__(self, name, expression, reference, odd_only=False):
        self.name = name + (" of the odd" if odd_only else "")
        self.expression, self.reference, self.odd_only = expression, reference, odd_only

    def program(self):
        return PROGRAM.format(count=COUNT, expression=self.expression, active="(lane & 1u) == 1u" if self.odd_only else "true")

    def bindings(self):
        return [(0, 0, bytes(16 * COUNT))]

    def wrong(self, data):
        rows = [struct.unpack_from("<4I", data, 16 * i) for i in range(COUNT)]
        groups = {}
        for i, (first, lane, _, _) in enumerate(rows):
            if not self.odd_only or lane & 1:
                groups.setdefault(first, {})[lane] = value(i)
        out = []
        for i, (first, lane, size, result) in enumerate(rows):
            if lane >= size or size & (size - 1):
                out.append((i, "lane", lane, "size", size))
            active = groups.get(first, {})
            expected = self.reference(active, lane, size) if lane in active else 0
            if expected is not None and result != expected & 0xFFFFFFFF:
                out.append((i, result, expected))
        return out[:4]


class SubgroupNumbers:
    """subgroup_id is another for each subgroup of the workgroup, and less than num_subgroups, which is how many there are."""

    PROGRAM = """enable subgroups;
requires subgroup_id;
diagnostic(off, subgroup_uniformity);
@group(0) @binding(0) var<storage, read_write> output: array<vec4<u32>>;
@compute @workgroup_size({size})
fn main(@builtin(local_invocation_index) i: u32, @builtin(subgroup_id) id: u32, @builtin(num_subgroups) count: u32) {{
  output[i] = vec4<u32>(subgroupBroadcastFirst(i), id, count, 0u);
}}
"""

    def __init__(self, size):
        self.name = f"subgroup_id and num_subgroups of {size}"
        self.size = size
        self.count = 1
        for n in size.split(","):
            self.count *= int(n)

    def program(self):
        return self.PROGRAM.format(size=self.size)

    def bindings(self):
        return [(0, 0, bytes(16 * self.count))]

    def wrong(self, data):
        rows = [struct.unpack_from("<3I", data, 16 * i) for i in range(self.count)]
        ids = {first: id for first, id, _ in rows}  # one for each subgroup
        wrong = [(i, row) for i, row in enumerate(rows) if row[1] != ids[row[0]] or row[2] != len(ids)]
        if sorted(ids.values()) != list(range(len(ids))):
            wrong.append(sorted(ids.values()))
        return wrong[:4]


class FullQuads:
    """Where a workgroup's invocations make whole quads, each has its three neighbours, whatever the workgroup's shape; and
    local_invocation_id is that of the index."""

    PROGRAM = """enable subgroups;
@group(0) @binding(0) var<storage, read_write> output: array<array<vec4<u32>, 2>>;
@compute @workgroup_size({size})
fn main(@builtin(local_invocation_index) i: u32, @builtin(subgroup_invocation_id) lane: u32,
        @builtin(local_invocation_id) id: vec3<u32>, @builtin(global_invocation_id) place: vec3<u32>) {{
  output[i][0] = vec4<u32>(lane % 4u, quadSwapX(i), quadSwapY(i), quadSwapDiagonal(i));
  output[i][1] = vec4<u32>(id, u32(all(id == place)));
}}
"""

    def __init__(self, *size):
        self.size = size
        self.name = f"quads of {size}"
        self.count = size[0] * size[1] * size[2]

    def program(self):
        return self.PROGRAM.format(size=", ".join(map(str, self.size)))

    def bindings(self):
        return [(0, 0, bytes(32 * self.count))]

    def wrong(self, data):
        rows = [struct.unpack_from("<8I", data, 32 * i) for i in range(self.count)]
        wrong = []
        for i, (lane, *neighbours, x, y, z, same) in enumerate(rows):
            if (x, y, z) != (i % self.size[0], i // self.size[0] % self.size[1], i // (self.size[0] * self.size[1])) or not same:
                wrong.append((i, "local_invocation_id", x, y, z))
            for step, neighbour in zip((1, 2, 3), neighbours):
                back = rows[neighbour][step] if neighbour < self.count else None
                if back != i or neighbour == i or rows[neighbour][0] != lane ^ step:
                    wrong.append((i, lane, step, neighbour, back))
        return wrong[:4]


def up_to(active, lane, inclusive):
    return [v for k, v in active.items() if k < lane or (inclusive and k == lane)]


def fold(f, start):
    def of(values):
        out = start
        for v in values:
            out = f(out, v)
        return out
    return of


def tests():
    every = []

    def add(name, expression, reference, both=True):
        every.append(SubgroupTest(name, expression, reference))
        if both:
            every.append(SubgroupTest(name, expression, reference, True))

    for name, f in (("Add", sum), ("Mul", product), ("Max", max), ("Min", min), ("And", fold(lambda a, b: a & b, 0xFFFFFFFF)),
                    ("Or", fold(lambda a, b: a | b, 0)), ("Xor", fold(lambda a, b: a ^ b, 0))):
        add("subgroup" + name, f"subgroup{name}(x)", lambda active, lane, size, f=f: f(active.values()))
        add("subgroup" + name + " of i32", f"bitcast<u32>(subgroup{name}(vec2<i32>(1, i32(x))).y)",
            lambda active, lane, size, f=f: f(active.values()))
    for name, f in (("Add", sum), ("Mul", product)):
        add(f"subgroupExclusive{name}", f"subgroupExclusive{name}(x)",
            lambda active, lane, size, f=f: f(up_to(active, lane, False)))
        add(f"subgroupInclusive{name}", f"u32(subgroupInclusive{name}(f32(x % 2u + 1u)))",
            lambda active, lane, size, f=f: f([v % 2 + 1 for v in up_to(active, lane, True)]))
    add("subgroupAll", "select(1u, 2u, subgroupAll(x > 1u))", lambda active, lane, size: 2 if min(active.values()) > 1 else 1)
    add("subgroupAny", "select(1u, 2u, subgroupAny(x == 13u))", lambda active, lane, size: 2 if 13 in active.values() else 1)
    add("subgroupElect", "select(1u, 2u, subgroupElect())", lambda active, lane, size: 2 if lane == min(active) else 1)
    add("subgroupBallot", "subgroupBallot(x > 6u).x",
        lambda active, lane, size: sum(1 << k for k, v in active.items() if v > 6 and k < 32))
    add("subgroupBroadcast", "subgroupBroadcast(x, 1u)", lambda active, lane, size: active.get(1))
    add("subgroupBroadcastFirst", "subgroupBroadcastFirst(x)", lambda active, lane, size: active[min(active)])
    add("subgroupShuffle", "subgroupShuffle(x, (lane + 1u) % size)",
        lambda active, lane, size: active.get((lane + 1) % size), False)
    add("subgroupShuffleXor", "subgroupShuffleXor(x, 2u)", lambda active, lane, size: active.get(lane ^ 2))
    add("subgroupShuffleUp", "subgroupShuffleUp(x, 1u)", lambda active, lane, size: active.get(lane - 1), False)
    add("subgroupShuffleDown", "subgroupShuffleDown(x, 1u)", lambda active, lane, size: active.get(lane + 1), False)
    add("quadBroadcast", "quadBroadcast(x, 2u)", lambda active, lane, size: active.get(lane & ~3 | 2), False)
    add("quadSwapX", "quadSwapX(x)", lambda active, lane, size: active.get(lane ^ 1), False)
    add("quadSwapY", "quadSwapY(x)", lambda active, lane, size: active.get(lane ^ 2), False)
    add("quadSwapDiagonal", "quadSwapDiagonal(x)", lambda active, lane, size: active.get(lane ^ 3), False)
    every.extend(SubgroupNumbers(size) for size in ("1", "12", "64", "3, 3", "5, 3, 2"))
    every.extend(FullQuads(*size) for size in ((64, 1, 1), (1, 16, 1), (2, 2, 4), (1, 3, 12)))
    return every
