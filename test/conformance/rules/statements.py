"""Spec "Statements", "Behavior Analysis", "Uniformity Analysis"."""

from rules import rule

SIMPLE = [";", "x = 1;", "x += 1;", "x++;", "_ = x;", "let {n} = x;", "var {n} = 1;", "const {n} = 2;", "var {n}: i32;", "g();", "h();",
          "_ = h();", "return;", "return 1;", "break;", "continue;", "discard;", "const_assert true;", "x == 1;", "x--;", "k = 1;",
          "h2();", "break if x == 1;", "{n} = 1;", "1;", "min(x, 1);", "(x) = 1;", "*(&x) = 2;", "let {n} = &x;", "workgroupBarrier();"]
FITTING = [";", "x = 1;", "x++;", "_ = x;", "g();", "_ = h();", "const_assert true;", "return;", "return 1;", "break;", "continue;"]
TESTS = ["x == 1", "true", "(x < 2)", "b"]


def statement(r, depth):
    name = r.choice("abc")
    if depth == 0 or r.random() < 0.45:
        return r.choice(SIMPLE if r.random() < 0.35 else FITTING).replace("{n}", name)
    body = lambda: " ".join(statement(r, depth - 1) for _ in range(r.choice([0, 1, 1, 2])))  # noqa: E731
    kind = r.randrange(7)
    if kind == 0:
        return f"{{ {body()} }}"
    if kind == 1:
        other = r.choice(["", f"else {{ {body()} }}", f"else if x == 2 {{ {body()} }}", f"else if x == 2 {{ {body()} }} else {{ {body()} }}"])
        return f"if {r.choice(TESTS if r.random() < 0.9 else ['x', '1'])} {{ {body()} }} {other}"
    if kind == 2:
        clauses = "".join(f"{r.choice(['case 1', 'case 1u', 'case 2, 3', 'case 1, default', 'default', 'case 1,2,', 'case x', 'case K', 'case -1', 'case 1.0'])}"
                          f"{r.choice([':', '', ''])} {{ {body()} }} " for _ in range(r.choice([1, 1, 2, 3])))
        if r.random() < 0.7:
            clauses = f"case 1 {{ {body()} }} case 2, 3: {{ {body()} }} default {{ {body()} }}"
        return f"switch {r.choice(['x', 'x', 'x', '1', 'u', '(x)', '1.5', 'h()'])} {{ {clauses} }}"
    if kind == 3:
        tail = r.choice(["", "", f"continuing {{ {body()} }}", f"continuing {{ {body()} break if {r.choice(['x == 3', 'true', 'true', 'a == 1'])}; }}"])
        return f"loop {{ {body()} {tail} }}"
    if kind == 4:
        return f"while {r.choice(TESTS)} {{ {body()} }}"
    if r.random() < 0.6:
        return f"for (var i = 0; {r.choice(['i < 3', 'true', ''])}; {r.choice(['i++', ''])}) {{ {body()} }}"
    head = r.choice(["var i = 0", "", "x = 1", "let i = 1", "h2()", "const i = 1", "g()"])
    test = r.choice(["i < 3", "", "x < 3", "true", "x"])
    step = r.choice(["i++", "", "x += 1", "g()", "x--", "let z = 1", "h2()", "break"])
    return f"for ({head}; {test}; {step}) {{ {body()} }}"


@rule("Statements: where each may stand, behavior analysis")
def statements(r):
    result = r.choice(["", "", " -> i32"])
    end = r.choice(["", "return 1;"]) if result else ""
    body = " ".join(statement(r, 3) for _ in range(r.choice([1, 2, 2, 3])))
    return ("const K = 5;\nconst k = 1;\nfn g() {}\nfn h() -> i32 { return 1; }\n@must_use fn h2() -> i32 { return 1; }\n"
            f"fn f(u: u32, b: bool){result} {{\n  var x = 1;\n  {body} {end}\n}}\n")


@rule("switch statements: selectors")
def selectors(r):
    values = ["0", "1", "2", "1u", "2u", "0i", "1i", "-1", "4294967295", "2147483648", "-2147483648", "K", "default", "1 + 1", "K + 1",
              "1.0", "true", "vec2(1).x", "o"]
    clauses = []
    for _ in range(r.choice([1, 2, 3])):
        listed = ", ".join(r.choice(values) for _ in range(r.choice([1, 1, 2, 3]))) + r.choice(["", "", ","])
        clauses.append(r.choice([f"case {listed} {{ }}", f"case {listed}: {{ }}", "default { }", "default: { }"]))
    if r.random() < 0.6:
        clauses.append("default { }")
    return (f"const K = {r.choice(['1', '2u', '3i'])};\noverride o = 1;\nfn f(i: i32, u: u32) {{\n"
            f"  switch {r.choice(['i', 'u', '1', '1u', 'K', 'o', 'i + 1', '(i)', 'u32(i)'])} {{ {' '.join(clauses)} }}\n}}\n")


@rule("Assignment: left-hand sides")
def assignment(r):
    left = r.choice(["x", "v.x", "v.xy", "v[1]", "v[i]", "m[1]", "m[1].x", "a[1]", "a[i]", "s.a", "s.b[1]", "s", "l", "p", "*q", "(*q)", "*(&x)",
                     "(x)", "&x", "_", "ro", "ro[0]", "rw[0]", "rw", "rw[i]", "un.a", "wg", "at", "pr", "K", "h()", "1", "q", "(*r).a", "r.a",
                     "s.none", "o", "a", "i32", "(v.x)", "x.y", "*x", "vec2(1).x", "(&x)", "a[1][0]", "m[1][1]", "*&x"])
    right = r.choice(["1", "1i", "1u", "1.5", "vec3(1i)", "x", "l", "s", "a", "array(1, 2, 3)", "vec2(1)", "true", "m[0]", "vec3f()", "o", "*q"])
    operator = r.choice(["=", "=", "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "++", "--", "&&=", "=="])
    text = f"{left}{operator};" if operator in ("++", "--") else f"{left} {operator} {right};"
    return ("struct S { a: i32, b: array<i32, 2> }\nconst K = 1;\noverride o = 1;\n@group(0) @binding(0) var<storage> ro: array<i32>;\n"
            "@group(0) @binding(1) var<storage, read_write> rw: array<i32>;\n@group(0) @binding(2) var<uniform> un: S;\n"
            "var<workgroup> wg: i32;\nvar<workgroup> at: atomic<i32>;\nvar<private> pr: i32;\nfn h() -> i32 { return 1; }\n"
            "fn f(p: i32, q: ptr<function, i32>, r: ptr<function, S>) {\n  var x = 1i; var v = vec3(1i); var m = mat2x3f(); var a = array(1i, 2, 3);\n"
            f"  var s = S(); let l = 1i; var i = 0;\n  {text}\n}}\n")


CONDITIONS = ["u == 0", "n > 0", "wgv == 1", "prv == 1", "uni == 1", "ro == 1", "rw == 1", "atomicLoad(&at) == 1", "par == 1", "loc == 1",
              "id.x == 0", "gid.x == 0", "wid.x == 0", "nw.x == 1", "workgroupUniformLoad(&wgv) == 1", "f1(loc) == 1", "f1(uni) == 1",
              "f2(&loc) == 1", "true", "o == 1", "arr[uni] == 1", "arr[idx] == 1", "stat.a == 1", "stat.b == 1", "1 == 1 || id.x == 0"]


def uniform_body(r, depth):
    simple = ["workgroupBarrier();", "storageBarrier();", "_ = workgroupUniformLoad(&wgv);", "bar();", "loc = 1;", "loc = i32(id.x);",
              "loc = uni;", "return;", "f3(&loc);", "f4(&loc, i32(id.x));", "prv = 1;", "arr[0] = i32(id.x);", "stat.a = i32(id.x);", "stat = S();",
              "ifb(loc);", "ifb(uni);", "break;", "continue;", "loc++;", "_ = loc;", "let q = &loc; *q = uni;", "rw = loc;"]
    if depth == 0 or r.random() < 0.5:
        return r.choice(simple)
    body = lambda: " ".join(uniform_body(r, depth - 1) for _ in range(r.choice([1, 1, 2])))  # noqa: E731
    kind = r.randrange(5)
    test = r.choice(CONDITIONS)
    if kind == 0:
        return f"if {test} {{ {body()} }} {r.choice(['', f'else {{ {body()} }}'])}"
    if kind == 1:
        return f"loop {{ {body()} if {test} {{ break; }} {body()} }}"
    if kind == 2:
        return f"for (var i = 0; {test}; i++) {{ {body()} }}"
    if kind == 3:
        return f"switch loc {{ case 1 {{ {body()} }} default {{ {body()} }} }}"
    return f"loop {{ {body()} continuing {{ {r.choice(['bar();', '', 'loc = i32(id.x);'])} break if {test}; }} }}"


@rule("Uniformity Analysis")
def uniformity(r):
    body = " ".join(uniform_body(r, 3) for _ in range(r.choice([1, 2, 3])))
    return ("struct S { a: i32, b: i32 }\noverride o = 1;\n@group(0) @binding(0) var<uniform> uni: i32;\n@group(0) @binding(1) var<storage> ro: i32;\n"
            "@group(0) @binding(2) var<storage, read_write> rw: i32;\nvar<workgroup> wgv: i32;\nvar<workgroup> at: atomic<i32>;\nvar<private> prv: i32;\n"
            "fn bar() { workgroupBarrier(); }\nfn ifb(c: i32) { if c == 1 { workgroupBarrier(); } }\nfn f1(c: i32) -> i32 { return c; }\n"
            "fn f2(c: ptr<function, i32>) -> i32 { return *c; }\nfn f3(c: ptr<function, i32>) { *c = 1; }\n"
            "fn f4(c: ptr<function, i32>, d: i32) { *c = d; }\n"
            "@compute @workgroup_size(4) fn main(@builtin(local_invocation_id) id: vec3u, @builtin(global_invocation_id) gid: vec3u,\n"
            "    @builtin(workgroup_id) wid: vec3u, @builtin(num_workgroups) nw: vec3u) {\n"
            "  var loc = 0; var arr = array<i32, 2>(); var stat = S(); let idx = id.x; let u = id.x; let n = nw.x; let par = uni;\n"
            f"  {body}\n}}\n")
