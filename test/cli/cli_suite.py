"""The command line from outside: exit codes, texts, JSON, the --serve loops. python3 cli_suite.py KEM"""

import json
import os
import random
import struct
import tempfile
import unittest

import kem

DOUBLE = os.path.join(kem.KERNELS, "double-integer.wgsl")
DOUBLE_ID = "btSvNclyu2me_zGh4X9ULVRZqwze9l2DpkcVHcLw9Eg"
UNKNOWN_ID = "A" * 43

ADD = """
override step: u32 = 1;
@group(0) @binding(0) var<storage, read> source: array<u32>;
@group(1) @binding(3) var<storage, read_write> target_words: array<u32>;
@compute @workgroup_size(4)
fn %s(@builtin(global_invocation_id) id: vec3u) {
  if id.x < arrayLength(&target_words) { target_words[id.x] = source[id.x] + %su * step; }
}
"""
VALID = "@compute @workgroup_size(1) fn main() {}"
INVALID = "fn f() -> i32 {\n  return 1.5;\n}\n"


class WithFiles(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = directory.name

    def file(self, text, name="kernel.wgsl"):
        path = os.path.join(self.directory, name)
        with open(path, "wb") as out:
            out.write(text if isinstance(text, bytes) else text.encode())
        return path


class Usage(unittest.TestCase):
    def test_help(self):
        code, out, err = kem.call("--help")
        self.assertEqual((code, err), (0, b""))
        for command in (b"run", b"check", b"glsl", b"spirv", b"exec", b"fetch", b"devices", b"info", b"bench"):
            self.assertIn(b"\n  " + command, out)
            code, text, _ = kem.call(command.decode(), "--help")
            self.assertEqual(code, 0)
            self.assertIn(b"usage: kem " + command, text)

    def test_wrong_command_lines_exit_with_2(self):
        for words in ([], ["nothing"], ["run"], ["run", "a", "b"], ["run", DOUBLE, "--input"], ["run", DOUBLE, "--what"],
                      ["run", DOUBLE, "--input-hex", "abc"], ["run", DOUBLE, "--input-hex", "zz"],
                      ["run", DOUBLE, "--hint", "x"], ["run", DOUBLE, "--params", "1,x"],
                      ["run", DOUBLE, "--const", "a"], ["run", DOUBLE, "--dispatch", "1,2,3,4"],
                      ["run", DOUBLE, "--hint", "1", "--output-bytes", "4"], ["check"], ["check", "--serve", DOUBLE],
                      ["exec"], ["devices", "now"], ["bench", "--rounds", "0"], ["bench", "everything"], ["bench", "loops", DOUBLE]):
            with self.subTest(words):
                code, out, err = kem.call(*words)
                self.assertEqual((code, out), (2, b""))
                self.assertTrue(err)

    def test_a_bad_setting_is_told(self):
        code, _, err = kem.call("run", DOUBLE, "--input-hex", "00", env=kem.environment(KEM_VALIDATION="perhaps"))
        self.assertEqual(code, 1)
        self.assertIn(b"KEM_VALIDATION", err)


class Run(WithFiles):
    def test_prints_hexadecimal(self):
        self.assertEqual(kem.call("run", DOUBLE, "--input-hex", "01030507")[:2], (0, b"02060a0e\n"))

    def test_by_txid(self):
        self.assertEqual(kem.call("run", DOUBLE_ID, "--input-hex=01030507")[:2], (0, b"02060a0e\n"))

    def test_json_tells_stages(self):
        code, out, _ = kem.call("run", DOUBLE, "--input-hex", "01030507", "--json")
        answer = json.loads(out)
        self.assertEqual((code, answer["output_hex"], answer["bytes"]), (0, "02060a0e", 4))
        self.assertEqual(set(answer["times_us"]),
                         {"queue", "fetch", "front_end", "spirv", "pipeline", "upload", "execute", "readback"})

    def test_on_one_of_several_devices(self):
        twice = kem.environment(KEM_DEVICE="0,0")
        words = ("run", DOUBLE, "--input-hex", "01030507", "--json")
        for options, device in [((), 0), (("--device", "0"), 0), (("--device", "1"), 1)]:
            code, out, err = kem.call(*words, *options, env=twice)
            self.assertEqual(code, 0, err)
            answer = json.loads(out)
            self.assertEqual((answer["output_hex"], answer["device"]), ("02060a0e", device))
        code, out, _ = kem.call(*words, "--device", "2", env=twice)
        self.assertEqual((code, json.loads(out)["error"]["class"]), (1, "invalid_argument"))

    def test_files_and_standard_input(self):
        source, target = self.file(bytes([1, 0, 0, 0]), "in"), os.path.join(self.directory, "out")
        self.assertEqual(kem.call("run", DOUBLE, "--input", source, "--out", target)[:2], (0, b""))
        with open(target, "rb") as out:
            self.assertEqual(out.read(), bytes([2, 0, 0, 0]))
        self.assertEqual(kem.call("run", DOUBLE, "--input", "-", stdin=bytes([9, 0, 0, 0]))[:2], (0, b"12000000\n"))

    def test_entry_constants_dispatch(self):
        kernel = self.file("""
            override factor: u32;
            @group(0) @binding(0) var<storage, read> words: array<u32>;
            @group(0) @binding(1) var<storage, read_write> out: array<u32>;
            @compute @workgroup_size(1) fn other() { out[0] = 1; }
            @compute @workgroup_size(1) fn times(@builtin(global_invocation_id) id: vec3u) {
              out[id.x] = words[id.x] * factor;
            }""")
        words = ["run", kernel, "--entry", "times", "--const", "factor=3", "--input-hex", "01000000020000000300000004000000"]
        self.assertEqual(kem.call(*words)[:2], (0, b"0300000006000000090000000c000000\n"))
        self.assertEqual(kem.call(*words, "--dispatch", "2")[:2], (0, b"03000000060000000000000000000000\n"))

    def test_immediates(self):
        kernel = self.file("""
            var<immediate> factor: vec2u;
            @group(0) @binding(0) var<storage, read> words: array<u32>;
            @group(0) @binding(1) var<storage, read_write> out: array<u32>;
            @compute @workgroup_size(1) fn main() { out[0] = words[0] * factor.x + factor.y; }""")
        words = ["run", kernel, "--input-hex", "05000000"]
        self.assertEqual(kem.call(*words, "--immediates", "3,0x10")[:2], (0, b"1f000000\n"))
        self.assertEqual(kem.call(*words, "--immediates", "3")[:2], (0, b"0f000000\n"))
        self.assertEqual(kem.call(*words)[:2], (0, b"00000000\n"))
        self.assertEqual(kem.call(*words, "--immediates", "1,2,3")[0], 1)
        self.assertEqual(kem.call(*words, "--immediates", "x")[0], 2)

    def failure(self, *words, **changes):
        code, out, err = kem.call("run", *words, "--json", env=kem.environment(**changes))
        self.assertEqual(code, 1, (out, err))
        return json.loads(out)["error"]["class"]

    def test_failures_have_a_class(self):
        self.assertEqual(self.failure(os.path.join(self.directory, "absent.wgsl")), "io_error")
        self.assertEqual(self.failure(UNKNOWN_ID, "--input-hex", "00000000"), "kernel_not_found")
        self.assertEqual(self.failure(self.file(INVALID), "--input-hex", "00000000"), "invalid_kernel")
        self.assertEqual(self.failure(DOUBLE, "--input-hex", "00000000", "--hint", "0"), "invalid_argument")
        self.assertEqual(self.failure(DOUBLE, "--input-hex", "00000000", "--output-bytes", "268435457"),
                         "output_too_large")
        pixelize = os.path.join(kem.KERNELS, "pixelize.wgsl")
        self.assertEqual(self.failure(pixelize, "--input-hex", "00000000"), "invalid_binding")
        self.assertEqual(self.failure(pixelize, "--input-hex", "00000000", "--params", "1,1"), "invalid_params")
        self.assertEqual(self.failure(DOUBLE, "--input-hex", "00000000", VK_ICD_FILENAMES="/nowhere.json",
                                      VK_DRIVER_FILES="/nowhere.json"), "no_device")

    def test_a_kernels_mistake_is_shown_in_place(self):
        code, out, err = kem.call("run", self.file(INVALID), "--input-hex", "00")
        self.assertEqual((code, out), (1, b""))
        self.assertIn(b":2:10 error:", err)
        self.assertIn(b"    return 1.5;\n           ^^^", err)


class Check(WithFiles):
    def test_valid_says_nothing(self):
        self.assertEqual(kem.call("check", DOUBLE), (0, b"", b""))
        self.assertEqual(kem.call("check", DOUBLE, "--json"), (0, b"[]\n", b""))

    def test_invalid(self):
        path = self.file(INVALID, "wrong.wgsl")
        code, out, err = kem.call("check", path)
        self.assertEqual((code, err), (1, b""))
        self.assertTrue(out.startswith(b"wrong.wgsl:2:10 error: "), out)
        code, out, _ = kem.call("check", path, "--json")
        first = json.loads(out)[0]
        self.assertEqual((code, first["severity"], first["line"], first["column"], first["length"]), (1, "error", 2, 10, 3))
        self.assertEqual((INVALID[first["begin"]:first["end"]], first["rule"]), ("1.5", None))

    def test_json_says_what_the_text_says(self):
        for source in (INVALID, "fn f() { g(); }\nfn f() {}\n", "const a = b; const b = a;", "diagnostic(off, nothing);\n",
                       "enable nothing;", "@compute @workgroup_size(1) fn f(@builtin(local_invocation_index) i: u32) {\n"
                       "  if i == 0 {\n    workgroupBarrier();\n  }\n}\n", "\n" * 3 + "x" * 300):
            with self.subTest(source[:40]):
                path = self.file(source, "k.wgsl")
                text = kem.call("check", path)[1].decode()
                heads = [line for line in text.splitlines() if line.startswith("k.wgsl:")]
                entries = json.loads(kem.call("check", path, "--json")[1])
                self.assertEqual(heads, [f"k.wgsl:{e['line']}:{e['column']} {e['severity']}: {e['message']}"
                                         for e in entries])
                carets = [len(line.strip()) for line in text.splitlines() if line and not line.strip(" ^")]
                shown = [e["length"] for e in entries if 0 < len(source.split("\n")[e["line"] - 1]) <= 240]
                self.assertEqual(carets, shown)

    def test_rules_are_named(self):
        path = self.file("enable subgroups;\n@compute @workgroup_size(1) fn f(@builtin(local_invocation_index) i: u32) {\n"
                         "  if i == 0 { _ = subgroupAdd(i); }\n}\n")
        self.assertEqual(json.loads(kem.call("check", path, "--json")[1])[0]["rule"], "subgroup_uniformity")

    def test_pipeline_errors_as_json(self):
        path = self.file("override n: u32;\n@compute @workgroup_size(n) fn go() {}\n")
        first = json.loads(kem.call("check", path, "--json", "--const", "n=100000")[1])[0]
        self.assertEqual((first["line"], first["column"], first["length"]), (2, 26, 1))
        without_place = json.loads(kem.call("check", path, "--json", "--entry", "go")[1])[0]
        self.assertEqual((without_place["line"], without_place["column"], without_place["length"]), (1, 1, 0))
        self.assertIn("invalid_argument", without_place["message"])

    def test_language_extensions(self):
        path = self.file("requires linear_indexing;\n"
                         "@compute @workgroup_size(1) fn f(@builtin(workgroup_index) i: u32) {}\n")
        first = kem.environment(KEM_LANGUAGE_EXTENSIONS="first")
        self.assertEqual(kem.call("check", path)[0], 0)
        code, out, _ = kem.call("check", path, "--language-extensions", "first")
        self.assertEqual(code, 1)
        self.assertIn(b"'linear_indexing' is switched off", out)
        self.assertEqual(kem.call("check", path, env=first)[:2], (code, out))
        self.assertEqual(kem.call("check", path, "--language-extensions", "all", env=first)[0], 0)
        self.assertEqual(kem.call("glsl", path, "--entry", "f")[0], 0)
        self.assertEqual(kem.call("glsl", path, "--entry", "f", "--language-extensions", "first")[0], 1)
        self.assertEqual(kem.call("check", path, "--language-extensions", "second")[0], 2)
        self.assertEqual(kem.call("check", DOUBLE, "--language-extensions", "first")[0], 0)

    def test_pipeline(self):
        path = self.file("override n: u32;\n@compute @workgroup_size(n) fn go() {}\n")
        self.assertEqual(kem.call("check", path)[0], 0)
        self.assertEqual(kem.call("check", path, "--entry", "go")[0], 1)
        self.assertEqual(kem.call("check", path, "--entry", "go", "--const", "n=4")[0], 0)
        self.assertEqual(kem.call("check", path, "--entry", "gone", "--const", "n=4")[0], 1)
        self.assertEqual(kem.call("check", path, "--const", "n=100000")[0], 1)

    def test_unreadable(self):
        self.assertEqual(kem.call("check", os.path.join(self.directory, "absent"))[0], 1)
        self.assertEqual(kem.call("check", self.directory)[0], 1)
        self.assertEqual(kem.call("check", self.file("/" * (2 << 20)))[0], 1)


class Translate(WithFiles):
    def test_glsl(self):
        code, out, _ = kem.call("glsl", DOUBLE)
        self.assertEqual(code, 0)
        self.assertTrue(out.startswith(b"#version 460"))

    def test_spirv(self):
        code, out, _ = kem.call("spirv", DOUBLE)
        self.assertEqual(code, 0)
        self.assertIn(b"OpEntryPoint GLCompute", out)
        target = os.path.join(self.directory, "module.spv")
        self.assertEqual(kem.call("spirv", DOUBLE, "--binary", "--out", target)[:2], (0, b""))
        with open(target, "rb") as module:
            self.assertEqual(struct.unpack("<I", module.read(4))[0], 0x07230203)

    def test_invalid(self):
        for command in ("glsl", "spirv"):
            code, out, err = kem.call(command, self.file(INVALID))
            self.assertEqual((code, out), (1, b""))
            self.assertIn(b"error:", err)


class Environment(WithFiles):
    def test_fetch(self):
        code, out, _ = kem.call("fetch", DOUBLE_ID)
        with open(DOUBLE, "rb") as kernel:
            self.assertEqual((code, out), (0, kernel.read()))
        self.assertEqual(json.loads(kem.call("fetch", DOUBLE_ID, "--json")[1])["origin"], "store")
        for wrong, name in ((UNKNOWN_ID, "kernel_not_found"), ("short", "invalid_kernel_id"), ("A" * 42 + "B", "invalid_kernel_id")):
            code, out, _ = kem.call("fetch", wrong, "--json")
            self.assertEqual((code, json.loads(out)["error"]["class"]), (1, name))

    def test_devices(self):
        code, out, _ = kem.call("devices", "--json")
        devices = json.loads(out)
        self.assertEqual(code, 0)
        self.assertGreaterEqual(len(devices), 1)
        self.assertEqual(len(devices[0]["uuid"]), 32)
        self.assertIn(devices[0]["name"].encode(), kem.call("devices")[1])

    def test_no_driver(self):
        without = kem.environment(VK_ICD_FILENAMES="/nowhere.json", VK_DRIVER_FILES="/nowhere.json")
        code, out, _ = kem.call("devices", "--json", env=without)
        self.assertEqual((code, json.loads(out)["error"]["class"]), (1, "no_device"))
        self.assertEqual(kem.call("check", DOUBLE, env=without)[0], 0)

    def test_info(self):
        code, out, _ = kem.call("info", "--json")
        answer = json.loads(out)
        self.assertEqual((code, answer["limits"]["output_bytes"]), (0, 268_435_456))
        self.assertGreaterEqual(answer["device_features"]["max_workgroup_invocations"], 128)
        extensions = answer["wgsl_extensions"]
        self.assertEqual(extensions["linear_indexing"], {"kind": "language", "status": "available", "needs": ""})
        self.assertEqual(extensions["clip_distances"]["status"], "no_device")
        self.assertEqual(extensions["f16"]["status"] == "available", answer["device_features"]["f16"])
        text = kem.call("info")[1].decode()
        for name, extension in extensions.items():
            self.assertIn(f"  {name}: {extension['status']} ({extension['kind']}", text)
        for narrowed in (kem.call("info", "--json", "--language-extensions", "first"),
                         kem.call("info", "--json", env=kem.environment(KEM_LANGUAGE_EXTENSIONS="first"))):
            left = {name for name, e in json.loads(narrowed[1])["wgsl_extensions"].items()
                    if e["kind"] == "language" and e["status"] == "available"}
            self.assertEqual(left, {"readonly_and_readwrite_storage_textures", "packed_4x8_integer_dot_product",
                                    "unrestricted_pointer_parameters", "pointer_composite_access"})

    def test_bench(self):
        code, out, err = kem.call("bench", "--rounds", "3", "--json")
        self.assertEqual(code, 0, err)
        rows = {row["name"]: row for row in json.loads(out)}
        self.assertTrue(all(row["value"] > 0 and row["unit"] == "us" for row in rows.values()))
        self.assertEqual(rows["16-byte call, warm"]["beside"]["name"], "empty submit")
        self.assertEqual(kem.call("bench", "calls", DOUBLE)[0], 2)

    def test_bench_compile(self):
        code, out, err = kem.call("bench", "compile", DOUBLE, "--rounds", "2", "--json")
        self.assertEqual(code, 0, err)
        rows = {row["name"]: row for row in json.loads(out)}
        whole = rows["double-integer.wgsl: WGSL to valid SPIR-V"]
        self.assertEqual(whole["unit"], "us")
        self.assertGreater(whole["value"], rows["double-integer.wgsl:   lex, parse"]["value"])
        text = kem.call("bench", "compile", DOUBLE, "--rounds", "2")[1].decode()
        self.assertEqual([line[:46].rstrip() for line in text.splitlines()], list(rows))
        self.assertEqual(kem.call("bench", "compile", self.file(INVALID), "--rounds", "1")[0], 1)

    def test_bench_loops(self):
        code, out, err = kem.call("bench", "loops", "--rounds", "1", "--json")
        self.assertEqual(code, 0, err)
        rows = json.loads(out)
        self.assertTrue(rows and all(row["value"] > 0 and row["beside"]["value"] > 0 for row in rows))


def hostile_sources():
    """Text that has brought down parsers and compilers. Any answer is right; a crash is not."""
    n = 20_000
    source = random.Random(11)
    body = "fn f() { let x = %s; }"
    yield from (body % ("(" * n + "1" + ")" * n), body % ("-" * n + "1"), body % ("!" * n + "true"),
                body % ("&*" * n + "x"), body % ("1" + "+1" * n), body % ("1" + "<1" * n), body % ("a" + "[0]" * n),
                body % ("a" + ".b" * n), body % ("f(" * n + ")" * n), body % ("vec2<" * n + ">" * n),
                body % ("array<" * n + "i32" + ",1>" * n), body % ("true" + "&&true" * n))
    yield from ("fn f() " + "{" * n + "}" * n, "fn f() {" + "if true {" * n + "}" * n + "}",
                "fn f() {" + "loop {" * n + "}" * n + "}", "fn f() { if a {}" + " else if a {}" * n + "}",
                "fn f() {" + "switch 1 { default {" * n + "}}" * n + "}", "fn f() { " + ";" * n + "}",
                "@" * n, "@a" * n + "fn f() {}", "/*" * n, "/*" * n + "*/" * n, "\n" * n, "(" * n, "<" * n, "{" * n)
    yield "".join(f"alias a{i} = a{i + 1};" for i in range(n)) + f"alias a{n} = i32;"
    yield "".join(f"const a{i} = a{i + 1};" for i in range(n)) + f"const a{n} = 1;"
    yield "".join(f"fn f{i}() {{ f{i + 1}(); }}" for i in range(n)) + f"fn f{n}() {{}}"
    yield "".join(f"struct s{i} {{ m: s{i + 1} }}" for i in range(3_000)) + "struct s3000 { m: i32 }"
    yield "const a = b; const b = a; alias c = d; alias d = c; struct e { f: e } fn g() { g(); }"
    yield "const a = array<i32, 4294967295>(); const b = array<array<i32, 65535>, 65535>();"
    yield "const a = 1 << 4000000000; const b = 9999999999999999999999999999999999999999; const c = 0x1p999999999;"
    yield "const a = " + "9" * 100_000 + ";"
    yield "const a = 1." + "9" * 100_000 + "e-" + "9" * 1_000 + ";"
    yield "const " + "a" * 100_000 + " = 1;"
    yield "\ufefffn f() {}"
    yield "fn \u2028f() {}\u0085 // \u202e"
    yield b"\0" * 100
    yield b"\xff\xfe\xc0\xaf\xed\xa0\x80"
    yield b"fn f() { /* \xf0\x9f\x92 */ }"
    for _ in range(40):
        yield source.randbytes(source.randrange(2_000))
    with open(os.path.join(kem.KERNELS, "sha256.wgsl"), "rb") as file:
        text = file.read()
    for _ in range(60):
        changed = bytearray(text)
        for _ in range(source.randrange(1, 6)):
            at = source.randrange(len(changed))
            changed[at:at + source.randrange(4)] = source.choice(
                [b"", b"{", b"}", b"(", b")", b";", b"<", b"vec3u", b"0", b"ptr<", b"&", b"*", b"@", b"\xff"])
        yield bytes(changed)


class CheckLoop(unittest.TestCase):
    def test_answers(self):
        with kem.Loop("check") as loop:
            self.assertEqual(loop.check(VALID), (0, ""))
            status, text = loop.check(INVALID)
            self.assertEqual(status, 1)
            self.assertIn("2:10 error:", text)
            self.assertIn("^^^", text)
            self.assertEqual(loop.check("")[0], 0)
            self.assertEqual(loop.finish(), (0, b"", b""))

    def test_pipeline_line(self):
        source = "override n: u32;\n@compute @workgroup_size(n) fn go() {}\n"
        with kem.Loop("check") as loop:
            self.assertEqual(loop.check(source)[0], 0)
            self.assertEqual(loop.check("//!pipeline entry=go const:n=4\n" + source)[0], 0)
            self.assertEqual(loop.check("//!pipeline const:n=4\n" + source)[0], 0)
            self.assertEqual(loop.check("//!pipeline entry=go\n" + source)[0], 1)
            self.assertEqual(loop.check("//!pipeline entry=no const:n=4\n" + source)[0], 1)
            self.assertEqual(loop.check("//!pipeline const:m=4\n" + source)[0], 1)
            self.assertEqual(loop.check("//!pipeline const:n=1000\n" + source)[0], 1)
            self.assertEqual(loop.check("//!pipeline what=4\n" + source)[0], 1)
            self.assertEqual(loop.check("//!pipeline\n" + VALID)[0], 0)

    def test_hostile_sources(self):
        with kem.Loop("check") as loop:
            for source in hostile_sources():
                with self.subTest(source[:60]):
                    self.assertIn(loop.check(source)[0], (0, 1))
            self.assertEqual(loop.check(VALID), (0, ""))
            self.assertEqual(loop.finish(), (0, b"", b""))

    def test_hostile_lengths(self):
        with kem.Loop("check") as loop:
            status, text = loop.check(b" " * (65 << 20))
            self.assertEqual(status, 1)
            self.assertIn("kernel_too_large", text)
            self.assertEqual(loop.check(VALID), (0, ""))
            loop.process.stdin.write(struct.pack("<I", 0xFFFFFFFF) + b"x")
            self.assertEqual(loop.finish(), (0, b"", b""))
        for partial in (b"\1", struct.pack("<I", 100) + b"fn"):
            with kem.Loop("check") as loop:
                loop.process.stdin.write(partial)
                self.assertEqual(loop.finish(), (0, b"", b""))

    def test_neither_leaks_nor_strays(self):
        with open(os.path.join(kem.KERNELS, "glitch.wgsl")) as file:
            glitch = file.read()
        with kem.Loop("check") as loop:
            def batch(count):
                for i in range(count):
                    self.assertEqual(loop.check(f"const unique = {i};\n" + VALID), (0, ""))
                    self.assertEqual(loop.check(INVALID)[0], 1)
                    if i % 10 == 0:
                        self.assertEqual(loop.check(f"//!pipeline\nconst unique = {i};\n" + glitch)[0], 0)
            batch(300)
            before = loop.resident_kib()
            batch(3_000)
            self.assertLess(loop.resident_kib() - before, 16 << 10)
            self.assertEqual(loop.finish(), (0, b"", b""))


class ExecLoop(unittest.TestCase):
    def test_any_bindings(self):
        with kem.Loop("exec") as loop:
            words = struct.pack("<4I", 1, 2, 3, 4)
            status, parts = loop.execute(ADD % ("go", 10), [(1, 3, bytes(16)), (0, 0, words)], entry="go",
                                         constants={"step": 2})
            self.assertEqual(status, 0, parts)
            self.assertEqual(parts, [struct.pack("<4I", 21, 22, 23, 24), words])
            status, parts = loop.execute(ADD % ("main", 1), [(0, 0, bytes(80)), (1, 3, bytes(80))], workgroups=[2, 1, 1])
            self.assertEqual((status, parts[1]), (0, struct.pack("<20I", *[1] * 8, *[0] * 12)))
            self.assertEqual(loop.finish(), (0, b"", b""))

    def test_immediates(self):
        kernel = """
            var<immediate> i: vec2u;
            @group(0) @binding(0) var<storage, read_write> words: array<u32>;
            @compute @workgroup_size(1) fn main() { words[0] = i.x; words[1] = i.y; }"""
        with kem.Loop("exec") as loop:
            for given in ([7, 0xFFFFFFFF], [1], []):
                status, parts = loop.execute(kernel, [(0, 0, bytes(8))], immediates=given)
                self.assertEqual((status, parts), (0, [struct.pack("<2I", *(given + [0, 0])[:2])]))
            self.assertEqual(loop.execute(kernel, [(0, 0, bytes(8))])[0], 0)
            for wrong in ([1, 2, 3], [-1], [1 << 32], ["1"], 7):
                self.assertEqual(loop.execute(kernel, [(0, 0, bytes(8))], immediates=wrong)[0], 1)

    def test_buffer_views(self):
        kernel = """
            struct Part { a: vec3<i32>, b: f32, m: mat2x2<f32> }
            struct Tail { n: u32, items: array<vec2<u32>> }
            @group(0) @binding(0) var<storage, read> source: buffer;
            @group(0) @binding(1) var<uniform> params: buffer<32>;
            @group(0) @binding(2) var<storage, read_write> to: buffer<128>;
            @group(0) @binding(3) var<storage, read_write> rest: buffer;
            var<workgroup> memory: buffer<64>;
            fn put(p: ptr<storage, array<u32, 4>, read_write>, i: u32, v: u32) { p[i] = v; }
            fn length_of(p: ptr<storage, buffer, read_write>) -> u32 { return bufferLength(p); }
            fn least(p: ptr<storage, buffer<96>, read_write>) -> u32 { return length_of(p); }
            @compute @workgroup_size(4)
            fn main(@builtin(local_invocation_index) i: u32) {
              let offset = *bufferView<u32>(&params, 16 + (i & 0));
              if i == 0 {
                *bufferView<Part>(&to, 0) = *bufferView<Part>(&source, offset);
                let tail = bufferView<Tail>(&rest, 8);
                tail.n = arrayLength(&tail.items);
                tail.items[1] = vec2(bufferLength(&source), arrayLength(bufferArrayView<array<u32>>(&rest, 8, 12)));
                bufferView<vec2<u32>>(&rest, 0)[1] = least(&to) * 1000 + length_of(&to);
              }
              put(bufferView<array<u32, 4>>(&to, 48), i, i * 10);
              *bufferView<u32>(&memory, 4 * i) = i + 1;
              workgroupBarrier();
              let sum = workgroupUniformLoad(bufferView<vec4<u32>>(&memory, 0));
              bufferView<array<u32>>(&to, 64)[i] = sum.x + sum.y + sum.z + sum.w + bufferView<array<u32, 8>>(&params, 0)[i];
              // Out of bounds: some place in the variable, nowhere else.
              bufferView<array<u32>>(&rest, 4000000000u - i)[i] = 7;
            }"""
        part = struct.pack("<3if4f", -1, 2, -3, 0.5, 1, 2, 3, 4)
        params = struct.pack("<8I", 100, 200, 300, 400, 16, 0, 0, 0)
        with kem.Loop("exec") as loop:
            status, parts = loop.execute(kernel, [(0, 0, bytes(16) + part), (0, 1, params), (0, 2, bytes(128)),
                                                  (0, 3, bytes(40))])
            self.assertEqual(status, 0, parts)
            self.assertEqual(parts[2][:32], part)
            self.assertEqual(struct.unpack("<4I", parts[2][48:64]), (0, 10, 20, 30))
            self.assertEqual(struct.unpack("<4I", parts[2][64:80]), (110, 210, 310, 410))
            self.assertEqual(parts[2][80:], bytes(48))
            rest = struct.unpack("<10I", parts[3])
            self.assertEqual((rest[1], rest[2]), (96 * 1000 + 128, 3))
            self.assertEqual(rest[6:8], (48, 3))

    def test_errors(self):
        with kem.Loop("exec") as loop:
            good = [(0, 0, bytes(16)), (1, 3, bytes(16))]
            self.assertEqual(loop.execute(INVALID, good)[0], 1)
            self.assertEqual(loop.execute(ADD % ("go", 1), good)[0], 1)
            self.assertEqual(loop.execute(ADD % ("main", 1), good[:1])[0], 1)
            self.assertEqual(loop.execute(ADD % ("main", 1), good, constants={"none": 1})[0], 1)
            self.assertEqual(loop.execute(ADD % ("main", 1), good, constants={"step": "1"})[0], 1)
            for frame in (b"", b"\0", struct.pack("<I", 99), struct.pack("<I", 2) + b"[]", struct.pack("<I", 4) + b"\xff{}["):
                self.assertEqual(loop.ask(frame)[0], 1)
            self.assertEqual(loop.execute(ADD % ("main", 1), good)[0], 0)
            self.assertEqual(loop.finish(), (0, b"", b""))

    def test_neither_leaks_nor_strays(self):
        with kem.Loop("exec") as loop:
            def batch(count, distinct):
                for i in range(count):
                    words = struct.pack("<4I", *[i * k & 0xFFFFFFFF for k in range(4)])
                    status, parts = loop.execute(ADD % ("main", i % distinct), [(0, 0, words), (1, 3, bytes(16))])
                    self.assertEqual(status, 0, parts)
                    expected = [(i * k + i % distinct) & 0xFFFFFFFF for k in range(4)]
                    self.assertEqual(parts[1], struct.pack("<4I", *expected))
                    if i % 50 == 0:
                        self.assertEqual(loop.execute(INVALID, [])[0], 1)
            batch(500, 20)
            before = loop.resident_kib()
            batch(3_000, 20)
            self.assertLess(loop.resident_kib() - before, 16 << 10)
            self.assertEqual(loop.finish(), (0, b"", b""))


if __name__ == "__main__":
    kem.main("__main__")
