"""programs/*.wgsl: one program a file, with what it must leave. The first lines say what is bound:

    //! workgroups: 2 1 1
    //! buffer 0: 1 2 3         binding 0 of group 0, words; or `6 zeros`
    //! constants: n=5
    //! expect: 1 -2            the words at the start of binding 1, whose size they give

and what stands at the specification's limits, which is written here."""

import pathlib
import struct

FOLDER = pathlib.Path(__file__).resolve().parent / "programs"
OUTPUT = "@group(0) @binding(1) var<storage, read_write> output: array<u32>;\n"
MAIN = "@compute @workgroup_size(1) fn main() { "


class Program:
    def __init__(self, name, wgsl, expect, buffers=(), workgroups=(1, 1, 1), constants=None):
        self.name, self.wgsl, self.workgroups, self.constants = name, wgsl, workgroups, constants or {}
        self.expect = [word & 0xFFFFFFFF for word in expect]
        self.buffers = list(buffers)  # (binding, words)

    def bindings(self):
        return [(0, 1, bytes(4 * len(self.expect)))] + \
            [(0, binding, struct.pack(f"<{len(words)}I", *[w & 0xFFFFFFFF for w in words])) for binding, words in self.buffers]

    def wrong(self, data):
        """Where binding 1 differs: [(index, got, expected)]."""
        got = struct.unpack(f"<{len(self.expect)}I", data)
        return [(i, a, b) for i, (a, b) in enumerate(zip(got, self.expect)) if a != b]


def number(text):
    return float(text) if "." in text else int(text)


def read(path):
    text = path.read_text()
    program = Program(path.stem, text, [])
    for line in text.splitlines():
        if not line.startswith("//! "):
            break
        key, _, rest = line[4:].partition(": ")
        words = rest.split()
        if key == "workgroups":
            program.workgroups = tuple(int(w) for w in words)
        elif key == "constants":
            program.constants = {k: number(v) for k, _, v in (w.partition("=") for w in words)}
        elif key == "expect":
            program.expect = [int(w) & 0xFFFFFFFF for w in words]
        else:
            values = [0] * int(words[0]) if words[1:] == ["zeros"] else [int(w) for w in words]
            program.buffers.append((int(key.split()[1]), values))
    return program


def files():
    return [read(path) for path in sorted(FOLDER.glob("*.wgsl"))]


def listed(count, text):
    return ", ".join(text.format(i) for i in range(count))


def limits():
    """Section "Limits", and sizes that drivers do not like."""
    yield Program("structure of 1023 members", "struct S { %s }\n%s@group(0) @binding(2) var<storage, read_write> s: S;\n"
                  % (listed(1023, "m{}: u32"), OUTPUT) + MAIN + "output[0] = s.m1022; s.m5 = 7u; output[1] = s.m5; }",
                  [9, 7], [(2, [0] * 1022 + [9])])
    yield Program("126 blocks", OUTPUT + MAIN + "{" * 126 + "output[0] = 7u;" + "}" * 126 + "}", [7])
    yield Program("125 conditions", OUTPUT + MAIN + "if output[1] == 0u {" * 125 + "output[0] = 7u;" + "}" * 125 + "}", [7, 0])
    yield Program("255 parameters", OUTPUT + "fn f(%s) -> u32 { return a0 + a254; }\n" % listed(255, "a{}: u32") + MAIN +
                  "output[0] = f(%s); }" % listed(255, "{}u"), [254])
    yield Program("1023 selectors", OUTPUT + MAIN + "switch output[1] { case %s: { output[0] = 3u; } default { output[0] = 9u; } } }"
                  % ", ".join(str(i) for i in range(1, 1023)), [9, 0])
    yield Program("200 clauses", OUTPUT + MAIN + "switch i32(output[1]) { %s default {} } }"
                  % " ".join("case %d { output[0] = %du; }" % (i, i + 5) for i in range(200)), [5, 0])
    fill = "for (var i = 0u; i < %du; i++) { a[i] += i; } output[0] = a[%d] + a[output[1]]; }"
    yield Program("8192 bytes of private variables", OUTPUT + "var<private> a: array<u32, 2048>;\n" + MAIN + fill % (2048, 2047),
                  [2047, 0])
    yield Program("8188 bytes of function variables", OUTPUT + MAIN + "var a: array<u32, 2047>; " + fill % (2047, 2046),
                  [2046, 0])
    yield Program("16384 bytes of workgroup variables", OUTPUT + "var<workgroup> a: array<u32, 4096>;\n" + MAIN + fill % (4096, 4095),
                  [4095, 0])
    yield Program("2047 constants", OUTPUT + "const a = array(%s);\n" % listed(2047, "{}u") + MAIN +
                  "output[0] = a[2046] + a[output[1] + 5u]; }", [2051, 0])
    yield Program("300 constant vectors", OUTPUT + "const a = array(%s);\n" % listed(300, "vec4({}u, 1u, 2u, 3u)") + MAIN +
                  "let v = a[output[1] + 255u]; output[0] = v.x + v.w; }", [258, 0])
    yield Program("chain of 200 functions", OUTPUT + "fn f0(x: u32) -> u32 { return x; }\n" + "".join(
        "fn f%d(x: u32) -> u32 { return f%d(x) + 1u; }\n" % (i, i - 1) for i in range(1, 200)) + MAIN +
        "output[0] = f199(output[1]); }", [199, 0])
    yield Program("120 parentheses", OUTPUT + MAIN + "let k = output[1]; output[0] = " + "(" * 120 + "k" + " + 1u)" * 120 + "; }",
                  [120, 0])
