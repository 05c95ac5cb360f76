"""Spec "Types", "Variable and Value Declarations", "Functions", "Attributes", "Entry Points"."""

from rules import rule

TYPES = ["bool", "i32", "u32", "f32", "f16", "vec2<bool>", "vec3f", "vec4h", "vec3<i32>", "mat2x3f", "mat4x4h", "mat2x2<i32>",
         "atomic<u32>", "atomic<i32>", "atomic<f32>", "array<u32>", "array<u32, 4>", "array<u32, N>", "array<u32, o>",
         "array<u32, 0>", "array<array<u32, 2>, 2>", "array<array<u32>, 2>", "array<bool, 2>", "array<atomic<u32>, 2>",
         "array<atomic<u32>>", "Plain", "Runtime", "HasBool", "HasAtomic", "array<Plain>", "array<Runtime, 2>",
         "ptr<function, i32>", "ptr<storage, u32, read_write>", "sampler", "sampler_comparison", "texture_2d<f32>",
         "texture_2d<i64>", "texture_storage_2d<rgba8unorm, write>", "texture_storage_2d<rgba8unorm, read_write>",
         "texture_depth_2d", "Alias", "vec2<Alias>", "vec5<f32>", "vec2", "array", "mat2x2", "nowhere", "N", "o", "abs",
         "read_write", "vec2<vec2<f32>>", "atomic", "ptr<handle, sampler>", "texture_external", "vec3<f32, f32>",
         "array<f32, 4, 4>", "bool<u32>", "i32<>", "array<sampler, 2>", "array<ptr<function, i32>, 2>", "array<HasBool, 2>"]
HEAD = """enable f16;
const N = 3;
override o: u32 = 4;
alias Alias = i32;
struct Plain { a: u32, b: vec3f }
struct Runtime { a: u32, b: array<u32> }
struct HasBool { a: bool }
struct HasAtomic { a: atomic<u32> }
"""
SPACES = ["", "<private>", "<workgroup>", "<uniform>", "<storage>", "<storage, read>", "<storage, read_write>",
          "<storage, write>", "<function>", "<handle>", "<private, read>", "<workgroup, read_write>", "<uniform, read>",
          "<storage, read,>", "<storage, read, read>", "<>", "<nowhere>", "<function, read_write>"]
BINDINGS = ["", "@group(0) @binding(0) ", "@group(0) @binding(0) ", "@group(0) @binding(0) ", "@binding(1) ", "@group(1) "]


@rule("Variables: store types and address spaces")
def module_variables(r):
    start = r.choice(["", "", "", "", " = 1", " = Plain()", " = o", " = array<u32, 4>()"])
    space = r.choice(SPACES if r.random() < 0.3 else SPACES[1:7])
    resource = "storage" in space or "uniform" in space or space == ""
    binding = r.choice(BINDINGS) if r.random() < 0.2 else BINDINGS[1] if resource else ""
    return f"{HEAD}{binding}var{space} x: {r.choice(TYPES)}{start};\n"


@rule("Types wherever a type may stand")
def types_in_places(r):
    form = r.choice(["alias T = {};", "fn f(a: {}) {{}}", "fn f() -> {} {{ loop {{}} }}", "struct S {{ a: {} }}", "const x: {} = 1;",
                     "override x: {};", "fn f() {{ var x: {}; }}", "fn f() {{ let x: {} = 1; }}", "alias T = array<{}, 2>;",
                     "alias T = ptr<function, {}>;", "alias T = ptr<storage, {}>;", "alias T = ptr<workgroup, {}>;",
                     "alias T = vec3<{}>;", "struct S {{ a: {}, b: u32 }}", "struct S {{ a: u32, b: {} }}",
                     "fn f(a: ptr<private, {}>) {{}}", "alias T = array<{}>;", "fn f() {{ _ = {}(); }}",
                     "fn f(a: ptr<storage, {}, read_write>) {{}}", "var<private> x: {};", "alias T = ptr<private, {}, read_write>;"])
    return HEAD + form.format(r.choice(TYPES)) + "\n"


@rule("Declarations at module scope: order, cycles, kinds")
def cycles(r):
    names = ["a", "b", "c"]
    forms = ["const {0} = {1};", "override {0} = {1};", "alias {0} = {1};", "struct {0} {{ m: {1} }}", "var<private> {0} = {1};",
             "fn {0}() -> i32 {{ return {1}; }}", "var<private> {0}: array<i32, {1}>;", "const {0} = array<i32, {1}>();",
             "fn {0}(p: {1}) {{}}", "@id({1}) override {0}: i32;", "@compute @workgroup_size({1}) fn {0}() {{}}",
             "const_assert {1} == 1;", "fn {0}() {{ const_assert {1} > 0; }}", "alias {0} = array<{1}, 2>;",
             "fn {0}() {{ {1}(); }}", "var<workgroup> {0}: array<u32, {1}>;", "alias {0} = ptr<function, {1}>;"]
    values = names + ["1", "i32", "a()", "b()", "c()", "a + 1", "min(b, 2)", "vec2(c).x", "2u"]
    chosen = r.sample(names, r.choice([1, 2, 3, 3]))
    likely = ["1", "1", "i32"] + chosen[1:]
    return "".join(r.choice(forms).format(name, r.choice(likely if r.random() < 0.6 else values)) + "\n" for name in chosen)


@rule("Scope and shadowing")
def shadowing(r):
    names = ["f32", "min", "x", "vec3f", "array", "read", "position", "private", "f", "i32", "_x", "rgba8unorm", "bitcast", "atomicAdd",
             "T", "flat", "x_1", "workgroup", "function", "main", "diagnostic_", "derivative_uniformity", "compute"]
    name = r.choice(names)
    place = r.choice(["const {0} = 1;", "alias {0} = i32;", "struct {0} {{ {0}: i32 }}", "fn {0}() {{}}", "var<private> {0}: i32;",
                      "fn g({0}: i32) {{ let y = {0}; }}", "fn g() {{ let {0} = 1; {{ let {0} = 2u; _ = {0}; }} }}",
                      "fn g() {{ var {0} = 1; let {0} = 2; }}", "fn g({0}: i32) {{ var {0} = 1; }}",
                      "fn g({0}: i32, {0}: i32) {{}}", "struct S {{ {0}: i32, {0}: u32 }}",
                      "fn g() {{ for (var {0} = 0; {0} < 1; {0}++) {{ var {0} = 2; }} }}", "override {0} = 1;",
                      "const {0} = 1; fn {0}() {{}}", "fn g() {{ let {0} = {0}; }}", "const {0} = {0};",
                      "fn g() {{ loop {{ let {0} = 1; continuing {{ _ = {0}; break if {0} == 1; }} }} }}"])
    use = r.choice(["", f"fn use() {{ _ = {name}; }}", f"fn use() {{ _ = {name}(1); }}", f"const use: {name} = 1;",
                    "const use = min(1, 2);", "fn use() { var q: vec3f; }", "fn use() { _ = array(1, 2); }",
                    f"fn use(a: {name}) {{}}", "const use = f32(1);", "@group(0) @binding(0) var<storage, read> s: i32;"])
    return place.format(name) + "\n" + use + "\n"


ATTRIBUTES = ["@align(16)", "@align(3)", "@align(0)", "@align(-4)", "@align(8u)", "@align(o)", "@align(1.0)", "@align", "@align()",
              "@align(16, 4)", "@size(4)", "@size(64)", "@size(2)", "@size(N)", "@size(o)", "@group(0)", "@group(-1)",
              "@group(N)", "@binding(0)", "@binding(0u)", "@binding(o)", "@id(1)", "@id(65535)", "@id(65536)", "@id(-1)", "@id(N)",
              "@location(0)", "@location(-1)", "@location(15)", "@location(N)", "@builtin(position)", "@builtin(local_invocation_id)",
              "@builtin(global_invocation_id)", "@builtin(nowhere)", "@builtin(vertex_index)", "@builtin(workgroup_id)",
              "@builtin(num_workgroups)", "@builtin(local_invocation_index)", "@builtin(subgroup_size)", "@builtin(frag_depth)",
              "@builtin(subgroup_invocation_id)", "@builtin(sample_mask)", "@builtin(front_facing)", "@builtin()", "@builtin",
              "@compute", "@vertex", "@fragment", "@workgroup_size(1)", "@workgroup_size(1, 2, 3)", "@workgroup_size(0)",
              "@workgroup_size(-1)", "@workgroup_size(1, 2, 3, 4)", "@workgroup_size()", "@workgroup_size(o)", "@workgroup_size(1u, 1i)",
              "@workgroup_size(1.0)", "@workgroup_size(N, o)", "@workgroup_size(4294967296)", "@workgroup_size(1,)", "@must_use",
              "@must_use()", "@invariant", "@interpolate(flat)", "@interpolate(linear, center)", "@interpolate(flat, first)",
              "@interpolate(perspective, sample)", "@interpolate(flat, center)", "@interpolate(linear, either)", "@interpolate(nowhere)",
              "@diagnostic(off, derivative_uniformity)", "@diagnostic(off, a.b)", "@diagnostic(nowhere, derivative_uniformity)",
              "@diagnostic(info, nowhere)", "@diagnostic(off, a.b.c)", "@diagnostic(off)", "@const", "@blend_src(0)", "@nowhere",
              "@group(0,)", "@location(0, 1)", "@compute()", "@builtin(position,)"]
PLACES = ["{} fn f() {{}}", "{} fn f() -> i32 {{ return 1; }}", "{} @compute fn f() {{}}", "{} @compute @workgroup_size(1) fn f() {{}}",
          "{} var<private> x: i32;", "{} var<storage> x: i32;", "{} @group(0) var<storage> x: i32;", "{} const x = 1;",
          "{} override x: i32;", "{} override x = 1;", "struct S {{ {} a: i32 }}", "struct S {{ {} a: vec4f, b: f32 }}",
          "struct S {{ a: u32, {} b: array<u32> }}", "struct {} S {{ a: i32 }}", "{} struct S {{ a: i32 }}", "{} alias T = i32;",
          "fn f({} a: i32) {{}}", "fn f({} a: vec3u) {{}}", "@compute @workgroup_size(1) fn f({} a: vec3u) {{}}",
          "@compute @workgroup_size(1) fn f({} a: u32) {{}}", "@fragment fn f({} a: vec4f) {{}}", "@fragment fn f({} a: f32) {{}}",
          "@fragment fn f({} a: u32) {{}}", "@fragment fn f({} a: bool) {{}}", "@vertex fn f({} a: u32) -> @builtin(position) vec4f {{ return vec4f(); }}",
          "@vertex fn f() -> {} vec4f {{ return vec4f(); }}", "@fragment fn f() -> {} vec4f {{ return vec4f(); }}",
          "@fragment fn f() -> {} f32 {{ return 1; }}", "fn f() -> {} i32 {{ return 1; }}", "fn f() {{ {} var x = 1; }}",
          "fn f() {{ {} {{ }} }}", "fn f() {{ {} if true {{ }} }}", "fn f() {{ if true {} {{ }} }}", "fn f() {{ {} loop {{ break; }} }}",
          "fn f() {{ loop {} {{ break; }} }}", "fn f() {{ {} return; }}", "fn f() {{ switch 1 {{ {} default {{ }} }} }}",
          "fn f() {{ switch 1 {} {{ default {{ }} }} }}", "fn f() {{ {} for (;;) {{ break; }} }}", "fn f() {{ loop {{ continuing {} {{ break if true; }} }} }}",
          "fn f() {} {{ }}", "{} const_assert true;", "{} enable f16;", "fn f() {{ {} f(); }}", "fn f({} a: i32, {} b: i32) {{}}"]


@rule("Attributes: where each may stand, its parameters, repetition")
def attributes(r):
    place = r.choice(PLACES)
    fitting = ("@align", "@size", "@location", "@builtin", "@interp", "@inv")
    likely = [a for a in ATTRIBUTES if a.startswith(fitting)] if "{} a:" in place or "->" in place else ATTRIBUTES
    listed = " ".join(r.choice(likely if r.random() < 0.7 else ATTRIBUTES) for _ in range(r.choice([1, 1, 1, 2, 2, 3])))
    body = place.replace("{}", listed).replace("{{", "{").replace("}}", "}")
    return f"enable subgroups;\nconst N = 4;\noverride o: u32 = 4;\n{body}\n"


@rule("Entry point interfaces: built-in values, structures, locations")
def interfaces(r):
    builtins = {"vec3u": ["global_invocation_id", "local_invocation_id", "num_workgroups", "workgroup_id"],
                "u32": ["local_invocation_index", "subgroup_size", "subgroup_invocation_id", "vertex_index", "instance_index",
                        "sample_index", "sample_mask", "global_invocation_index", "workgroup_index", "subgroup_id", "num_subgroups"],
                "vec4f": ["position"], "bool": ["front_facing"], "f32": ["frag_depth"]}

    def one(name):
        kind = r.choice(list(builtins))
        attribute = r.choice([f"@builtin({r.choice(builtins[kind])})", f"@location({r.choice([0, 1, 2])})", ""])
        if r.random() < 0.1:
            kind = r.choice(["i32", "vec3i", "vec2u", "mat2x2f", "array<f32, 2>", "T"])
        flat = "@interpolate(flat) " if attribute.startswith("@location") and r.random() < 0.6 else ""
        return f"{attribute} {flat}{name}: {kind}"

    stage = r.choice(["@compute @workgroup_size(1)", "@compute @workgroup_size(1)", "@fragment", "@vertex"])
    members = ", ".join(one(f"m{i}") for i in range(r.choice([1, 2, 3])))
    parameters = ", ".join(r.choice([one(f"p{i}"), f"p{i}: S"]) for i in range(r.choice([0, 1, 2])))
    result = r.choice(["", "", "-> S", "-> @builtin(position) vec4f", "-> @location(0) vec4f", "-> @builtin(frag_depth) f32"])
    name = "S" if result == "-> S" else "f32" if result.endswith("f32") else "vec4f"
    body = "" if not result else f"return {name}();"
    call = "" if r.random() < 0.9 else "fn g() { f(); }"
    return (f"enable subgroups;\nstruct T {{ @location(3) t: f32 }}\nstruct S {{ {members} }}\n"
            f"{stage} fn f({parameters}) {result} {{ {body} }}\n{call}\n")


@rule("Functions: calls, parameters, results, recursion")
def functions(r):
    kinds = ["i32", "u32", "f32", "vec2i", "bool", "S", "ptr<function, i32>", "ptr<private, i32>", "array<i32, 2>", "ptr<storage, array<u32>>",
             "ptr<workgroup, i32>", "ptr<function, S>", "ptr<uniform, S>", "atomic<u32>", "array<i32>", "sampler"]
    parameters = [r.choice(kinds) for _ in range(r.choice([0, 1, 1, 2]))]
    result = r.choice(["", "", " -> i32", " -> S", " -> ptr<function, i32>", " -> bool", " -> array<i32, 2>", " -> atomic<u32>"])
    back = {" -> i32": "return 1;", " -> S": "return S();", " -> bool": "return true;",
            " -> array<i32, 2>": "return array(1, 2);"}.get(result, "")
    fits = {"i32": ["1", "v"], "u32": ["1", "2u"], "f32": ["1", "1.5"], "vec2i": ["vec2(1)"], "bool": ["true"], "S": ["S()", "s"],
            "ptr<function, i32>": ["&v", "&s.a", "&ar[1]"], "ptr<private, i32>": ["&pr"], "array<i32, 2>": ["ar", "array(1, 2)"],
            "ptr<storage, array<u32>>": ["&list", "&rw"], "ptr<workgroup, i32>": ["&wg"], "ptr<function, S>": ["&s"], "ptr<uniform, S>": ["&un"]}
    given = [r.choice(fits.get(k, ["1"]) if r.random() < 0.8 else ["1", "&v", "&pr", "s", "1u", "v", "pr", "1h"]) for k in parameters]
    if r.random() < 0.1:
        given = given[:-1] if given and r.random() < 0.5 else given + ["1"]
    call = r.choice(["{};", "_ = {};", "let x = {};", "return {};", "v = {};"]).format(f"callee({', '.join(given)})")
    extra = r.choice(["", "", "callee2();", "g();"])
    return ("struct S { a: i32 }\n@group(0) @binding(0) var<storage> list: array<u32>;\n@group(0) @binding(1) var<uniform> un: S;\n"
            "@group(0) @binding(2) var<storage, read_write> rw: array<u32>;\n"
            "var<private> pr: i32;\nvar<workgroup> wg: i32;\nfn callee2() {}\n"
            f"{r.choice(['', '@must_use '])}fn callee({', '.join(f'p{i}: {k}' for i, k in enumerate(parameters))}){result} {{ {back} }}\n"
            f"fn g() {{ var v = 1i; var s = S(); var ar = array<i32, 2>(); {call} {extra} }}\n")


@rule("Alias Analysis")
def aliasing(r):
    arguments = ["&a", "&b", "&m[0]", "&m[i]", "&t.x", "&t.y", "&t", "&pr", "&m"]
    kinds = {"&m": "array<i32, 2>", "&t": "T"}
    chosen = [r.choice(arguments) for _ in range(2)]
    where = ["private" if c == "&pr" else "function" for c in chosen]
    bodies = ["", "*p0 = 1;", "_ = *p1;", "*p0 = *p1;", "*p1 = 1; _ = *p0;", "pr = 2;", "_ = pr;", "h(p0, p1);", "let q = p0; *q = 1;",
              "_ = *p0 + *p1;", "*p0 += 1;", "h(p1, p1);", "pr = *p0;", "_ = pr; *p1 = 2;", "wr();"]
    types = [f"ptr<{w}, {kinds.get(c, 'i32')}>" for c, w in zip(chosen, where)]
    return ("struct T { x: i32, y: i32 }\nvar<private> pr: i32;\nfn wr() { pr = 1; }\n"
            f"fn h(p0: {types[0]}, p1: {types[1]}) {{ {r.choice(bodies[:5])} }}\n"
            f"fn f(p0: {types[0]}, p1: {types[1]}) {{ {r.choice(bodies)} }}\n"
            f"fn g() {{ var a = 1i; var b = 1i; var m = array<i32, 2>(); var t = T(); var i = 0; f({', '.join(chosen)}); }}\n")


@rule("override declarations and pipeline creation")
def overrides(r):
    kinds = ["bool", "i32", "u32", "f32", "f16"]
    lines, given = ["enable f16;"], []
    names = ["a", "b", "c"]
    uses = []
    for name in names[:r.choice([1, 2, 3])]:
        kind = r.choice(kinds)
        ident = r.choice([None, None, 1, 2, 1000])
        start = r.choice(["", " = 1", f" = {kind}(a)", " = 0", f" = {kind}(b) / {kind}(0)"] if kind != "bool" else ["", " = true"])
        if kind == "bool":
            start = r.choice(["", " = true", " = a == a"])
        lines.append((f"@id({ident}) " if ident else "") + f"override {name}: {kind}{start};")
        if r.random() < 0.7:
            key = r.choice([name, name, str(ident) if ident else name, "7"])
            if ident and r.random() < 0.7:
                key = str(ident)
            given.append(f"const:{key}={r.choice([0, 1, 2, -1, 3, 1.5, 4294967295, 4294967296, 65504, 65520, 1e39, -2147483649, 16])}")
        uses.append(r.choice([f"_ = {name};", "", f"if bool({name}) {{ }}", f"_ = 1 / i32({name});", f"_ = list[u32({name})];"]))
    size = r.choice(["1", "1", "a", "a, 1, 2", "u32(a)", "2, i32(a)"])
    shared = r.choice(["", "", "var<workgroup> w: array<u32, a>;", "var<workgroup> w: array<u32, u32(a) * 2>;"])
    if shared and r.random() < 0.7:
        uses.append(r.choice(["_ = w[0];", "w[1] = 1;", "_ = &w;"]))
    return (f"//!pipeline entry={r.choice(['main', 'main', 'main', 'main', 'other'])} {' '.join(given)}\n" + "\n".join(lines) + "\n"
            "@group(0) @binding(0) var<storage, read_write> list: array<u32>;\n" + shared +
            f"\n@compute @workgroup_size({size}) fn main() {{ {' '.join(uses)} }}\n"
            "@compute @workgroup_size(1) fn other() {}\n")
