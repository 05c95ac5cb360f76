"""Bombs: kernels of up to Limits::source_bytes made to be costly somewhere. {name: source}, in groups by where."""

import struct

SOURCE_BYTES = (1 << 20) - 16  # the request has a first line of its own

BUFFERS = ("@group(0) @binding(0) var<storage, read> i: array<u32>;\n"
           "@group(0) @binding(1) var<storage, read_write> o: array<u32>;\n")
ENTRY = "@compute @workgroup_size(1) fn main() {\n%s\n}\n"


def main(body, before=""):
    return BUFFERS + before + "\n" + ENTRY % body


def many(piece, size, room=800):
    """piece(0) piece(1) ... up to `size` bytes, less `room`."""
    parts, length, k = [], 0, 0
    while True:
        part = piece(k)
        if length + len(part) > size - room:
            return "".join(parts)
        parts.append(part)
        length += len(part)
        k += 1


def in_main(piece, before="", first="", size=SOURCE_BYTES):
    return main(first + many(piece, size - len(before) - len(first)), before)


def nested(begin, middle, end, depth):
    return begin * depth + middle + end * depth


def depths(name, make, *counts):
    return {f"{name} {count}": make(count) for count in counts}


def chain(count, function, last, call):
    return BUFFERS + "".join(function(k) for k in range(count)) + last + ENTRY % call


NESTING = {
    **depths("parentheses", lambda n: main("o[0] = " + nested("(", "1u", ")", n) + ";"), 120, 490, 400_000),
    **depths("indices", lambda n: main("o[0] = " + nested("i[", "0", "]", n) + ";"), 120, 490, 300_000),
    **depths("calls", lambda n: main("o[0] = " + nested("min(1u,", "1u", ")", n) + ";"), 490, 120_000),
    **depths("negations", lambda n: main("var x = 1i; x = " + "- " * n + "x;"), 490, 400_000),
    **depths("not", lambda n: main("var x = true; x = " + "!" * n + "x;"), 490, 900_000),
    **depths("address and indirection", lambda n: main("var x = 1i; let y = " + "*&" * n + "x;"), 240, 400_000),
    **depths("swizzles", lambda n: main("var x = vec4f(); let y = x" + ".xyzw" * n + ";"), 490, 200_000),
    **depths("blocks", lambda n: main(nested("{", "", "}", n)), 120, 500_000),
    **depths("if", lambda n: main(nested("if i[0] == 1u {", "", "}", n)), 120, 60_000),
    **depths("else if", lambda n: main("if i[0] == 0u {}" + " else if i[0] == 1u { o[0] = 1u; }" * n), 390, 25_000),
    **depths("loop", lambda n: main(nested("loop { if i[0] == 1u { break; }", "", "}", n)), 60, 30_000),
    **depths("for", lambda n: main(nested("for (; i[0] == 1u;) {", "", "}", n)), 120, 40_000),
    **depths("while", lambda n: main(nested("while i[0] == 1u {", "", "}", n)), 120, 40_000),
    **depths("switch", lambda n: main(nested("switch i[0] { default {", "", "}}", n)), 60, 40_000),
    **depths("continuing", lambda n: main(nested("loop { continuing {", "", "break if true; }}", n)), 60, 25_000),
    **depths("template lists", lambda n: main("var x: " + nested("vec2<", "f32", ">", n) + ";"), 120, 150_000),
    **depths("arrays", lambda n: main("", "alias A = " + nested("array<", "f32", ",1>", n) + ";"), 14, 100_000),
    **depths("attributes", lambda n: nested("@align(", "1", ")", n), 120, 100_000),
    "comments": nested("/*", "", "*/", 250_000),
    "less than": "<" * (SOURCE_BYTES - 1),
    "a <": "a<" * (SOURCE_BYTES // 2 - 1),
    "a < (": "a<(" * (SOURCE_BYTES // 3 - 1),
    "a < b >": "a<b>" * (SOURCE_BYTES // 4 - 1),
}

TEXT = {
    "ten megabytes": "fn f() { let x = 1; }\n" * 480_000,
    "not UTF-8": b"\xff" * (SOURCE_BYTES - 1),
    "null characters": b"\0" * (SOURCE_BYTES - 1),
    "one identifier": "a" * (SOURCE_BYTES - 1),
    "one unknown identifier": main("let x = " + "a" * (SOURCE_BYTES - 900) + ";"),
    "unknown identifiers": in_main(lambda k: f"x{k};"),
    "errors on one line": in_main(lambda k: f"let a{k} = b{k} + c; "),
    "a number": "const a = " + "1" * (SOURCE_BYTES - 30) + ";",
    "a fraction": "const a = 0." + "1" * (SOURCE_BYTES - 30) + ";",
    "a hexadecimal fraction": "const a = 0x1." + "f" * (SOURCE_BYTES - 30) + "p1;",
    "line breaks": "\n" * (SOURCE_BYTES - 1),
    "at signs": "@" * (SOURCE_BYTES - 1),
    "letters that are not ASCII": "é" * (SOURCE_BYTES // 2 - 1),
}

DECLARATIONS = {
    "overrides": many(lambda k: f"override a{k} = 1;\n", SOURCE_BYTES) + ENTRY % "",
    "a chain of overrides": many(lambda k: f"override a{k} = a{k - 1} + 1;\n" if k else "override a0 = 1;\n",
                                 SOURCE_BYTES // 2) + ENTRY % "_ = a10000;",
    "constants": many(lambda k: f"const a{k} = a{k - 1} - a{k - 2};\n" if k > 1 else f"const a{k} = {k};\n", SOURCE_BYTES),
    "constants used first": "".join(f"const a{k} = a{k + 1};\n" for k in range(40_000)) + "const a40000 = 1;\n",
    "aliases": many(lambda k: f"alias A{k} = A{k - 1};\n" if k else "alias A0 = u32;\n", SOURCE_BYTES),
    "aliases used first": "".join(f"alias A{k} = A{k + 1};\n" for k in range(40_000)) + "alias A40000 = u32;\n",
    "aliases of arrays": many(lambda k: f"alias A{k} = array<A{k - 1}, 2>;\n" if k else "alias A0 = u32;\n", SOURCE_BYTES),
    "structures": many(lambda k: f"struct S{k} {{ a: u32 }}\n", SOURCE_BYTES),
    "one structure over and over": "struct S { a: u32 }\n" * 50_000,
    "members": "struct S {" + ",".join(f"a{k}: u32" for k in range(80_000)) + "}",
    "parameters": "fn f(" + ",".join(f"a{k}: u32" for k in range(80_000)) + ") {}",
    "functions": many(lambda k: f"fn f{k}() {{}}\n", SOURCE_BYTES) + ENTRY % "",
    "entry points": many(lambda k: f"@compute @workgroup_size(1) fn m{k}() {{}}\n", SOURCE_BYTES),
    "a cycle of functions": "".join(f"fn f{k}() {{ f{(k + 1) % 20_000}(); }}\n" for k in range(20_000)),
    "const_assert": "const_assert true;" * 50_000,
    "diagnostic filters": many(lambda k: f"diagnostic(off, a{k}.b);", SOURCE_BYTES),
    "diagnostic filters, all the same": "diagnostic(off, derivative_uniformity);" * 25_000,
    "diagnostic attributes": "@diagnostic(off, derivative_uniformity) " * 24_000 + "fn f() {}",
    "attributes": "@must_use " * 100_000 + "fn f() -> u32 { return 1; }",
    "structures that double": "struct S0 { a: u32, b: f32 }\n" +
                              "".join(f"struct S{k} {{ a: S{k - 1}, b: S{k - 1} }}\n" for k in range(1, 14)) +
                              "@group(0) @binding(3) var<storage, read_write> p: S13;\n"
                              "@group(0) @binding(4) var<storage, read_write> q: S13;\n" + ENTRY % "p = q;",
}

CONSTANTS = {
    "a constant array": main("let x = c[i[0]]; o[0] = x;", "const c = array<u32, 65535>();"),
    "constant arrays": many(lambda k: f"const c{k} = array<u32, 65535>();", SOURCE_BYTES) + ENTRY % "",
    "copies of a constant array": "const a0 = array<u32, 65535>();" +
                                  many(lambda k: f"const a{k + 1} = a{k};", SOURCE_BYTES) + ENTRY % "",
    "a constant array indexed at run time": in_main(lambda k: "_ = a[i[0]];", "const a = array<u32, 2000>();"),
    "an array of arrays": main("_ = &w;", "var<workgroup> w: array<array<array<u32, 65535>, 65535>, 65535>;"),
    "a long constructor": main("var x = array(" + "1u," * 300_000 + ");"),
    "long constructors": in_main(lambda k: "_ = array(" + "1u," * 2000 + ")[i[0]];"),
    "an overlong vector": main("var x = vec4(" + "1u," * 300_000 + ");"),
    "matrices": many(lambda k: "const_assert all(mat4x4f() * vec4f() == vec4f());", SOURCE_BYTES),
    "a long constant sum": main("o[0] = 1u" + "+1u" * 300_000 + ";"),
    "literals": in_main(lambda k: f"o[0] += {k}u;"),
}

STATEMENTS = {
    "assignments": in_main(lambda k: f"o[{k}] = i[{k}] + {k};\n"),
    "as many assignments as compile": in_main(lambda k: f"o[{k}] = i[{k}];\n", size=SOURCE_BYTES // 8),
    "let": in_main(lambda k: f"let a{k} = i[{k}];"),
    "divisions": in_main(lambda k: "o[0] = o[1] / o[2] % o[3];"),
    "indices into a vector": in_main(lambda k: "x[i[0]][i[1]] = x[i[2]].x;", first="var x = array<vec4f, 8>();"),
    "matrix products": in_main(lambda k: "x = x * x;", first="var x = mat4x4f();"),
    "barriers": in_main(lambda k: "workgroupBarrier();"),
    "if, one after the other": in_main(lambda k: "if i[0] == 1u { o[0] = 1u; }"),
    "small if": in_main(lambda k: "if b { o[0] = 1u; }", first="let b = i[0] == 1u;"),
    "if on variables": in_main(lambda k: f"if y{k % 2000} == 1u {{ y{(k * 3) % 2000} = 1u; }}",
                               first="".join(f"var y{k} = 0u;" for k in range(2000))),
    "loop, one after the other": in_main(lambda k: "loop { if i[0] == 1u { break; } }"),
    "loops on variables": in_main(lambda k: f"loop {{ if y{k % 1500} == 1u {{ break; }} y{k % 1500} = y{k * 7 % 1500}; }}",
                                  first="".join(f"var y{k} = 0u;" for k in range(1500))),
    "for, one after the other": in_main(lambda k: "for (var j = 0u; j < i[0]; j++) { o[j] = j; }"),
    "switch, one after the other": in_main(lambda k: "switch i[0] { case 1: { o[0] = 1u; } default: {} }"),
    "cases": main("switch i[0] { case " + ",".join(str(k) for k in range(140_000)) + ": {} default {} }"),
    "a case over and over": main("switch i[0] { case " + "1," * 400_000 + "2: {} default {} }"),
    "large switches": in_main(lambda k: "switch i[0] {" + "".join(f"case {k}: {{ o[0] = {k}; }}" for k in range(1022)) +
                                        "default {} }"),
    "short circuits": in_main(lambda k: "if (o[0] == 1u && o[1] == 2u) || o[2] == 3u { o[0] = 1u; }"),
    "many variables in many branches":
        in_main(lambda k: "if y1 == 1u {" + "".join(f"y{j} = y{(j + 1) % 2000};" for j in range(2000)) + "}",
                first="".join(f"var y{k} = 0u;" for k in range(2000))),
    "filters on statements": in_main(lambda k: "@diagnostic(off, subgroup_uniformity) if i[0] == 1u {}"),
}

CALLS = {
    "calls": in_main(lambda k: "f();", "fn f() { o[0] = 1u; }"),
    "calls with large values": in_main(lambda k: "_ = f(vec4f(1), mat4x4f());",
                                       "fn f(a: vec4f, b: mat4x4f) -> vec4f { return b * a; }"),
    **depths("functions that call", lambda n: chain(n, lambda k: f"fn f{k}() {{ f{k + 1}(); }}\n",
                                                     f"fn f{n}() {{ o[0] = 1u; }}\n", "f0();"), 1000, 20_000),
    **depths("functions that hand a pointer on",
             lambda n: chain(n, lambda k: f"fn f{k}(p: ptr<function, i32>) {{ f{k + 1}(p); }}\n",
                             f"fn f{n}(p: ptr<function, i32>) {{ *p = 1; }}\n", "var v = 1; f0(&v);"), 1000, 14_000),
    "functions that each take an address":
        chain(12_000, lambda k: f"fn f{k}(p: ptr<function, i32>) {{ var v = 1; f{k + 1}(&v); }}\n",
              "fn f12000(p: ptr<function, i32>) { *p = 1; }\n", "var v = 1; f0(&v);"),
    "functions that call twice": "fn f0() -> u32 { return 1; }\n" +
                                 "".join(f"fn f{k}() -> u32 {{ return f{k - 1}() + f{k - 1}(); }}\n"
                                         for k in range(1, 12_000)) + ENTRY % "_ = f11999();",
    "pointers to storage, twice": BUFFERS + "fn f0(p: ptr<storage, array<u32>, read_write>) { p[0] = 1; }\n" +
                                  "".join(f"fn f{k}(p: ptr<storage, array<u32>, read_write>) {{ f{k - 1}(p); f{k - 1}(p); }}\n"
                                          for k in range(1, 10_000)) + ENTRY % "f9999(&o);",
    "pointers to different variables":
        "".join(f"var<private> v{k}: i32;\n" for k in range(1000)) +
        "fn g(a: ptr<private, i32>, b: ptr<private, i32>) {" + "*a += *b;" * 20_000 + "}\n" +
        ENTRY % "".join(f"g(&v{k % 1000}, &v{(k * 7 + 1) % 1000});" for k in range(9000)),
    "pointers in every order":
        "".join(f"var<private> v{k}: i32;\n" for k in range(4)) +
        "fn f0(a: ptr<private, i32>, b: ptr<private, i32>, c: ptr<private, i32>) { *a = *b; }\n" +
        "".join(f"fn f{k}(a: ptr<private, i32>, b: ptr<private, i32>, c: ptr<private, i32>)"
                f" {{ f{k - 1}(b, c, a); f{k - 1}(b, a, c); }}\n" for k in range(1, 300)) +
        ENTRY % "f299(&v0, &v1, &v2);",
    "variables that all functions use":
        "".join(f"var<private> v{k}: i32;\n" for k in range(1000)) + "fn f0() {" +
        "".join(f"v{k} = 1;" for k in range(1000)) + "}\n" +
        "".join(f"fn f{k}() {{ f{k - 1}(); }}\n" for k in range(1, 10_000)) + ENTRY % "f9999();",
    "arguments": main("f(" + "1u," * 300_000 + ");", "fn f() {}"),
}

# Source that stays just below some limits, and costs where they do not look.
BELOW_LIMITS = {
    "constants with large calls": in_main(lambda k: "_ = f(vec4f(1), mat4x4f());",
                                          "fn f(a: vec4f, b: mat4x4f) -> vec4f { return b * a; }", size=680_000),
    "constants with large calls, in functions":
        BUFFERS + "fn f(a: vec4f, b: mat4x4f) -> vec4f { return b * a; }\n" +
        "".join(f"fn g{k}() {{" + "_ = f(vec4f(1), mat4x4f());" * 40 + "}\n" for k in range(600)) +
        ENTRY % "".join(f"g{k}();" for k in range(600)),
    "atomics": in_main(lambda k: "_ = atomicCompareExchangeWeak(&a[i[0]], 1u, 2u).exchanged;",
                       "@group(0) @binding(3) var<storage, read_write> a: array<atomic<u32>>;", size=880_000),
    "a table's elements": in_main(lambda k: "o[0] = t[i[0]];",
                                  f"const t = array<u32, 2000>({','.join(map(str, range(2000)))});", size=20_000),
    "the last of many tables":
        in_main(lambda k: "o[0] = t99[i[0]];",
                "".join(f"const t{j} = array<u32, 64>({','.join(str(j * 64 + k) for k in range(64))});\n" for j in range(100)),
                first="".join(f"o[1] = t{j}[i[1]];" for j in range(100)), size=200_000),
    "the last of many literals": in_main(lambda k: f"o[{k}] = {k};" if k < 8150 else "o[8149] = 8149;", size=310_000),
    "the last of many fractions": in_main(lambda k: f"y = {k}.5;" if k < 8000 else "x += vec4(7999.5, 7998.5, 7997.5, 7996.5);",
                                          first="var x = vec4f(); var y = 1f;"),
    "different vectors":
        in_main(lambda k: f"y = {k}.5;" if k < 8000 else
                f"x += vec4({k % 8000}.5, {k * 7 % 8000}.5, {k * 13 % 8000}.5, {k * 17 % 8000}.5);",
                first="var x = vec4f(); var y = 1f;"),
    "large structures": in_main(lambda k: "s = S();",
                                "struct S {" + ",".join(f"a{k}: u32" for k in range(1000)) + "} var<private> s: S;", size=300_000),
    "a buffer's many arrays":
        in_main(lambda k: "w.a2000[i[0]] = 1u;",
                "struct W {" + ",".join(f"a{k}: array<u32, {k + 1}>" for k in range(2001)) +
                "} @group(0) @binding(3) var<storage, read_write> w: W;", size=450_000),
    "copies of a structure": in_main(lambda k: "s = t;", "struct A {" + ",".join(f"a{k}: u32" for k in range(2000)) + "}\n"
                                     "struct S {" + ",".join(f"a{k}: A" for k in range(8)) + "}\n"
                                     "var<private> s: S; var<private> t: S;", size=60_000),
    "structures as arguments": in_main(lambda k: "f(t);", "struct S {" + ",".join(f"a{k}: u32" for k in range(2047)) + "}\n"
                                       "var<private> t: S; fn f(s: S) {}", size=200_000),
    "barriers after many literals": in_main(lambda k: f"o[{k}] = {k + 9}u;" if k < 6000 else "workgroupBarrier();"),
    "copies of a buffer's array":
        in_main(lambda k: "w.a = x;" if k % 2 else "x = w.a;",
                "struct W { a: array<u32, 300> } @group(0) @binding(3) var<storage, read_write> w: W;",
                first="var x = w.a;", size=300_000),
    "copies of a buffer's arrays":
        in_main(lambda k: f"x{k % 100} = w.a{k % 100};",
                "struct W {" + ",".join(f"a{k}: array<vec4f, {k + 1}>" for k in range(100)) +
                "} @group(0) @binding(3) var<storage, read_write> w: W;",
                first="".join(f"var x{k} = w.a{k};" for k in range(100)), size=100_000),
    "a copy of a buffer's large array":
        main("x = w.a; w.a = x;", "struct W { a: array<u32, 30000> } var<private> x: array<u32, 30000>;\n"
                                  "@group(0) @binding(3) var<storage, read_write> w: W;"),
    "different sums": in_main(lambda k: f"o[0] = a + {k} * 3;" if k % 2 else f"o[1] = a * {k} - 7;", first="let a = 5u;",
                              size=300_000),
}

ALL = {**NESTING, **TEXT, **DECLARATIONS, **CONSTANTS, **STATEMENTS, **CALLS, **BELOW_LIMITS}


def request(source):
    """The frame that asks `kem check --serve` for the whole compile of a source."""
    source = b"//!pipeline\n" + (source.encode() if isinstance(source, str) else source)
    return struct.pack("<I", len(source)) + source
