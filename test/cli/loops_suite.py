"""Long loops: on every device the bytes are right, or the answer is loop_budget_exhausted; loops without end come to
that or, where the driver has no limit, run until the job's time is over. python3 loops_suite.py KEM

Drivers that end loops early count what a group of invocations runs together, so each kernel here lets invocations of
a group go through different loops. The sums are computed a second time in Python.
"""

import random
import re
import struct
import types
import unittest

import kem

LANES = 16
LIMIT = 65_535  # of the drivers that are known to have one
NEARLY = LIMIT - 1_100

HEAD = """
@group(0) @binding(0) var<storage, read_write> result: array<u32>;
@group(0) @binding(1) var<uniform> n: vec4u;
%s
@compute @workgroup_size(%d) fn main(@builtin(local_invocation_index) lane: u32) {
  var sum = 0u;
  %s
  result[lane] = sum;
}
"""


class RandomKernel:
    """A kernel of random loops and branches, as WGSL and as a Python function of the lane and the four numbers n."""

    CONDITIONS = ("lane % 2u == 0u", "lane == {k}u", "lane < {k}u", "sum % 3u == 1u", "n.x > 5u", "{i} == {k}u")
    BOUNDS = (("{k}u", 0.3), ("n.x", 0.2), ("n.y", 0.1), ("select(2u, n.y, lane % 8u == {k}u % 8u)", 0.2),
              ("lane * 9u", 0.1), ("sum % 40u", 0.1))

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.wgsl, self.python = [], []
        self.loops = 0
        self.statements(0, [])
        self.n = tuple(self.random.choice(((3, 40, 0, 0), (30, 900, 0, 0), (90, 4_000, 0, 0))))

    def line(self, depth, wgsl, python=None):
        self.wgsl.append("  " * depth + wgsl)
        if python is not None:
            self.python.append("  " * (depth + 2) + python)

    def both(self, template, loop=None):
        wgsl = template.format(k=self.random.randrange(12), i=loop or "n.z")
        return wgsl, re.sub(r"(?<=\d)u\b", "", wgsl)

    def statements(self, depth, loops):
        for _ in range(self.random.choice((1, 2, 2, 3))):
            self.statement(depth, loops)

    def block(self, depth, loops):
        self.line(depth, "sum += 1u;", "sum += 1")
        self.statements(depth, loops)

    def statement(self, depth, loops):
        kind = self.random.random()
        if depth >= 4 or kind < 0.2:
            self.line(depth, "sum += 3u;", "sum += 3")
        elif kind < 0.6:
            self.loop(depth, loops)
        elif kind < 0.85 or not loops:
            wgsl, python = self.both(self.random.choice(self.CONDITIONS), loops[-1] if loops else None)
            self.line(depth, f"if {wgsl} {{", f"if {python}:")
            self.block(depth + 1, loops)
            self.line(depth, "} else {", "else:")
            self.block(depth + 1, loops)
            self.line(depth, "}")
        else:
            wgsl, python = self.both(self.random.choice(self.CONDITIONS), loops[-1])
            leave = self.random.choice((("break;", "break"), ("continue;", "continue"),
                                        ("{ result[lane] = sum; return; }", "return sum")))
            self.line(depth, f"if {wgsl} {{ {leave[0]} }}", f"if {python}: {leave[1]}")

    def loop(self, depth, loops):
        name = f"i{self.loops}"
        self.loops += 1
        bound = self.random.choices([b for b, _ in self.BOUNDS], [w for _, w in self.BOUNDS])[0]
        wgsl, python = self.both(bound)
        self.line(depth, f"let bound_{name} = {wgsl};", f"bound_{name} = {python}")
        form = self.random.random()
        if form < 0.2:
            limit = self.random.randrange(2_000)
            self.line(depth, f"for (var {name} = 0u; {name} < bound_{name} && sum < {limit}u; {name}++) {{",
                      f"for {name} in range(bound_{name}):")
            self.python.append("  " * (depth + 3) + f"if not sum < {limit}: break")
        elif form < 0.6:
            self.line(depth, f"for (var {name} = 0u; {name} < bound_{name}; {name}++) {{",
                      f"for {name} in range(bound_{name}):")
        else:
            self.line(depth, f"var {name} = 0u;")
            self.line(depth, f"while {name} < bound_{name} {{ {name}++;", f"for {name} in range(1, bound_{name} + 1):")
        self.block(depth + 1, loops + [name])
        self.line(depth, "}")

    def function(self):
        scope = {}
        exec("def run(lane, n, select):\n    sum = 0\n" + "\n".join(self.python) + "\n    return sum", scope)
        n = types.SimpleNamespace(**dict(zip("xyzw", self.n)))
        return lambda lane: scope["run"](lane, n, lambda no, yes, condition: yes if condition else no) % 2**32


class Loops(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.loop = kem.Loop("exec")
        cls.loop.__enter__()

    @classmethod
    def tearDownClass(cls):
        cls.loop.__exit__()

    def run_kernel(self, body, n, functions="", loop=None):
        wgsl = HEAD % (functions, LANES, body)
        return (loop or self.loop).execute(wgsl, [(0, 0, bytes(4 * LANES)), (0, 1, struct.pack("<4I", *n))])

    def right(self, body, expected, n=(0, 0, 0, 0), functions=""):
        """Whether the kernel ran; if it did, its sums are those of `expected(lane)`."""
        status, answer = self.run_kernel(body, n, functions)
        if status != 0:
            self.assertIn("loop_budget_exhausted", answer)
            return False
        self.assertEqual(list(struct.unpack(f"<{LANES}I", answer[0])), [expected(lane) for lane in range(LANES)])
        return True

    def right_or_refused(self, is_small, *words):
        ran = self.right(*words)
        self.assertTrue(ran or not is_small, "loop_budget_exhausted")

    def runs(self, *words, **named):
        self.assertTrue(self.right(*words, **named), "loop_budget_exhausted")

    # ---- Right, or refused

    def test_two_branches(self):
        body = """if lane % 2u == 0u { for (var i = 0u; i < n.x; i++) { sum += i & 3u; if sum == 7777777u { break; } } }
                  else { for (var i = 0u; i < n.x; i++) { sum += i & 1u; if sum == 7777777u { break; } } }"""
        for n in (1_000, 20_000, 40_000, 64_000):
            self.right_or_refused(n == 1_000, body, lambda lane: sum(i & (1 if lane % 2 else 3) for i in range(n)),
                                  (n, 0, 0, 0))

    def test_each_lane_a_loop_of_its_own(self):
        body = "\n".join(f"if lane == {k}u {{ for (var i = 0u; i < n.x; i++) {{ sum += i % {k + 2}u; }} }}"
                         for k in range(8))
        for n in (7_000, 12_000, 60_000):
            self.right_or_refused(n == 7_000, body,
                                  lambda lane: sum(i % (lane + 2) for i in range(n)) if lane < 8 else 0, (n, 0, 0, 0))

    def test_conditions_that_end_a_loop_before_its_limit(self):
        forms = {
            "while sum < n.y && i < n.x { i++; sum += 1u; }": lambda n, m: min(n, m),
            "for (; i < n.x; i++) { if sum == n.y { break; } sum += 1u; }": lambda n, m: min(n, m),
            "loop { if !(i < n.x) || sum >= n.y { break; } sum += 1u; continuing { i += 1u; } }": lambda n, m: min(n, m),
            "var k = i32(n.x) - 7; for (; k > -7; k--) { if sum == n.y { break; } sum += 1u; }": lambda n, m: min(n, m),
            "for (; i < 60000u; i += 3u) { if sum == n.y { break; } sum += 1u; }": lambda n, m: min(20_000, m),
        }
        for body, expected in forms.items():
            for n, m in ((NEARLY, 900), (1_000_000, 900), (900, 1_000_000), (0, 5), (4_000_000_000, 200_000),
                         (70_000, 70_000)):
                result = expected(n if n < 2**31 or "i32" not in body else 0, m)
                self.right_or_refused(result < 20_000, "var i = 0u;" + body, lambda lane: result, (n, m, 0, 0))

    def test_what_a_loop_left_early_took_is_taken(self):
        body = """for (var turn = 0u; turn < n.z; turn++) {
                    for (var i = 0u; i < n.x; i++) { if i == n.y { break; } sum += 1u; }
                  }"""
        for x, y, turns in ((1_000_000, 100, 90), (1_000_000, 900, 50), (1_000_000, 900, 90), (1_000_000, 60_000, 3)):
            self.right_or_refused(y * turns < 10_000, body, lambda lane: y * turns, (x, y, turns, 0))

    def test_two_loops_each_long_for_one_lane(self):
        body = """let a = select(1u, n.x, lane == 0u); let b = select(1u, n.x, lane == 1u);
                  for (var i = 0u; i < a; i++) { sum += 1u; }
                  for (var i = 0u; i < b; i++) { sum += 2u; }"""
        for n in (30_000, 40_000, 60_000):
            self.right_or_refused(n == 30_000, body,
                                  lambda lane: (n if lane == 0 else 1) + 2 * (n if lane == 1 else 1), (n, 0, 0, 0))

    def test_nested_taking_turns(self):
        body = """for (var i = 0u; i < 16u; i++) {
                    var j = 0u;
                    loop { if j >= select(1u, n.x, lane % 16u == i) { break; } j++; sum += 1u; }
                  }"""
        for n in (3_000, 8_000, 40_000):
            self.right_or_refused(n == 3_000, body, lambda lane: n + 15, (n, 0, 0, 0))

    def test_uniform_loop_around_one_that_differs(self):
        body = """for (var i = 0u; i < n.x; i++) {
                    var j = 0u;
                    while j < select(1u, n.y, lane == i % 16u) { j++; sum += 1u; }
                  }"""
        for x, y in ((10, 500), (100, 500), (200, 1_000)):
            count = lambda lane: sum(y if i % 16 == lane else 1 for i in range(x))
            self.right_or_refused(x == 10, body, count, (x, y, 0, 0))

    def test_early_return_then_a_long_loop(self):
        body = """var i = 0u;
                  loop {
                    if i >= n.x { break; }
                    i++;
                    sum += 1u;
                    if lane == 3u && i == n.x - 1u { result[lane] = 5u; return; }
                  }
                  for (var k = 0u; k < n.y; k++) { sum += 1u; if sum == 77777777u { break; } }"""
        for x, y in ((9_000, 9_000), (30_000, 30_000), (40_000, 40_000), (60_000, 60_000)):
            self.right_or_refused(x == 9_000, body, lambda lane: 5 if lane == 3 else x + y, (x, y, 0, 0))

    def test_return_out_of_a_function_by_turns(self):
        functions = """fn part(mine: bool, much: u32) -> u32 {
                         if mine { return 1u; }
                         var k = 0u;
                         for (var i = 0u; i < much; i++) { k += 1u; if k == 77777777u { break; } }
                         return k;
                       }"""
        body = "sum = part(lane == 1u, n.x) + part(lane == 2u, n.x) + part(lane == 1u, n.x) + part(lane == 2u, n.x);"
        for n in (3_000, 20_000, 40_000):
            self.right_or_refused(n == 3_000, body, lambda lane: 2 * n + 2 if lane in (1, 2) else 4 * n, (n, 0, 0, 0),
                                  functions)

    def test_switch(self):
        cases = "\n".join(f"case {k}u: {{ for (var i = 0u; i < n.x; i++) {{ sum += {k + 1}u; }} }}" for k in range(5))
        for n in (5_000, 15_000, 60_000):
            self.right_or_refused(n == 5_000, f"switch lane % 6u {{ {cases} default: {{}} }}",
                                  lambda lane: (lane % 6 + 1) * n if lane % 6 < 5 else 0, (n, 0, 0, 0))

    def test_barriers_around_a_loop_that_differs(self):
        functions = "var<workgroup> shared_sum: atomic<u32>;"
        body = """for (var i = 0u; i < n.x; i++) {
                    workgroupBarrier();
                    for (var j = 0u; j < lane * n.y; j++) { if j == 77777777u { break; } sum += 1u; }
                    atomicAdd(&shared_sum, 1u);
                    workgroupBarrier();
                  }
                  sum += atomicLoad(&shared_sum);"""
        for x, y in ((10, 10), (300, 300), (2_000, 1_000)):
            self.right_or_refused(x == 10, body, lambda lane: x * lane * y + x * LANES, (x, y, 0, 0), functions)

    def test_a_count_that_wraps_around_has_no_end(self):
        has_budget = not self.right("for (var i = 0u; i < n.x; i++) { sum += 1u; }", lambda lane: 2 * LIMIT,
                                    (2 * LIMIT, 0, 0, 0))
        word, time = ("loop_budget_exhausted", "60000") if has_budget else ("timeout", "3000")
        for body, n in (("for (var i = 0u; i <= n.x; i++) { sum += 1u; }", 0xFFFFFFFF),
                        ("for (var i = 5u; i >= n.x; i--) { sum += 1u; }", 0),
                        ("for (var i = 0u; i < n.x; i += 3u) { sum += 1u; }", 0xFFFFFFFF)):
            # A device that lets loops run for ever is of no use to others after that.
            with self.subTest(body), kem.Loop("exec", kem.environment(KEM_JOB_TIMEOUT_MS=time)) as loop:
                status, answer = self.run_kernel(body, (n, 0, 0, 0), loop=loop)
                self.assertEqual(status, 1)
                self.assertIn(word, answer)

    def test_random_kernels(self):
        ran = 0
        for seed in range(40):
            kernel = RandomKernel(seed)
            with self.subTest(seed=seed):
                ran += self.right("\n".join(kernel.wgsl), kernel.function(), kernel.n)
        self.assertGreater(ran, 10)

    # ---- Loops that are left behind the step of their variable: Mesa 22.3 takes some for loops that never run

    def test_exits_behind_the_step(self):
        for number, sums in (("u", lambda x: x % 2**32), ("i", lambda x: x)):
            for step in ("+ 1", "- 1", "+ 2", "- 3"):
                for begin, limit in ((0, 0), (0, 1), (1, 0), (5, 5), (8, 7), (5, 6)):
                    self.check_exits(number, sums, step, begin, limit)

    def check_exits(self, number, value, step, begin, limit):
        forms = {"loop {{ if m == 40u {{ break; }} i = i {step}; if {exit} {{ break; }} m++; }}": 0,
                 "loop {{ if m == 40u {{ break; }} let j = i {step}; if {exit_j} {{ break; }} i = j; m++; }}": 0,
                 "loop {{ if m == 40u {{ break; }} m++; continuing {{ i = i {step}; break if {exit}; }} }}": 1}
        python = {"<": int.__lt__, "<=": int.__le__, ">": int.__gt__, ">=": int.__ge__, "==": int.__eq__}
        body, expected = f"var i = {begin}{number}; var m = 0u;", 0
        for k, (form, last) in enumerate(forms.items()):
            for op, compare in python.items():
                words = {"step": step + number, "exit": f"i {op} {limit}{number}", "exit_j": f"j {op} {limit}{number}"}
                body += f"\ni = {begin}{number}; m = 0u; {form.format(**words)} sum = sum * 3u + m;"
                i, m = begin, 0
                while m < 40:
                    i = value(i + int(step.replace(" ", "")))
                    m += last
                    if compare(i, limit):
                        break
                    m += 1 - last
                expected = (expected * 3 + m) % 2**32
        self.runs(body, lambda lane: expected)

    # ---- Common kernels have nearly all of the limit

    def test_a_uniform_count(self):
        self.runs("for (var i = 0u; i < n.x; i++) { sum += 1u; }", lambda lane: NEARLY, (NEARLY, 0, 0, 0))
        self.runs("for (var i = i32(n.x); i > 0; i--) { sum += 1u; }", lambda lane: NEARLY, (NEARLY, 0, 0, 0))
        self.runs("for (var i = -5i; i <= i32(n.x); i += 7i) { sum += 1u; }", lambda lane: (400_000 + 5) // 7 + 1,
                  (400_000, 0, 0, 0))
        self.runs("var i = 0u; while i < n.x { i++; sum += 1u; }", lambda lane: NEARLY, (NEARLY, 0, 0, 0))
        self.runs("var i = 0u; loop { i++; sum += 1u; continuing { break if i >= n.x; } }", lambda lane: NEARLY,
                  (NEARLY, 0, 0, 0))

    def test_uniform_loops_within_each_other(self):
        body = """for (var i = 0u; i < n.x; i++) { for (var j = 0u; j < n.y; j++) {
                    for (var k = 0u; k < 8u; k++) { sum += 1u; } } }"""
        self.runs(body, lambda lane: 50 * 120 * 8, (50, 120, 0, 0))

    def test_one_loop_that_differs(self):
        body = """var i = 0u;
                  while i < n.x { if i > lane * 3000u && lane != 5u { break; } i++; sum += 1u; }"""
        self.runs(body, lambda lane: NEARLY if lane == 5 else min(lane * 3000 + 1, NEARLY), (NEARLY, 0, 0, 0))

    def test_one_loop_that_differs_where_not_all_come(self):
        body = "if lane < 13u { var i = 0u; while i < n.x - lane { i++; sum += 1u; } }"
        self.runs(body, lambda lane: NEARLY - lane if lane < 13 else 0, (NEARLY, 0, 0, 0))
        body = "if lane >= 13u { return; } var i = 0u; while i < n.x - lane { i++; sum += 1u; }"
        self.runs(body, lambda lane: NEARLY - lane if lane < 13 else 0, (NEARLY, 0, 0, 0))

    def test_a_loop_that_differs_with_short_ones_in_it(self):
        body = """var i = 0u;
                  while i < n.x - lane { i++; for (var k = 0; k < 6; k++) { sum += 1u; } }"""
        self.runs(body, lambda lane: (7_900 - lane) * 6, (7_900, 0, 0, 0))

    def test_barriers(self):
        functions = "var<workgroup> tile: array<u32, %d>;" % LANES
        body = """for (var i = 0u; i < n.x; i++) {
                    tile[lane] = i;
                    workgroupBarrier();
                    for (var k = 0u; k < 16u; k++) { sum += tile[k] & 1u; }
                    workgroupBarrier();
                  }"""
        self.runs(body, lambda lane: 1_500 * 16, (3_000, 0, 0, 0), functions)


if __name__ == "__main__":
    kem.main("__main__")
