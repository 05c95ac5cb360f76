#!/usr/bin/env python3
"""Run-time semantics on the drivers at hand: what programs leave in their buffers, byte for byte, and floating point
results within the specification's accuracy.

  suite.py [KEM] [unittest's arguments]

Runs on the Vulkan driver of the environment; `make test-swiftshader` runs it on a second one.
Each operation runs at one of its widths, with some of its cases; KEM_EXECUTION_FULL=1 takes every one at every width,
with all cases in every form, and more layouts (minutes)."""

import os
import pathlib
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "cli")]

import check  # noqa: E402
import forms  # noqa: E402
import kem  # noqa: E402
import layouts  # noqa: E402
import operations  # noqa: E402
import programs  # noqa: E402
import subgroups  # noqa: E402

FULL = os.environ.get("KEM_EXECUTION_FULL") == "1"


class Execution(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.loop = kem.Loop("exec")

    @classmethod
    def tearDownClass(cls):
        end = cls.loop.finish()
        if end != (0, b"", b""):
            raise AssertionError(f"the loop ended with {end}")

    def execute(self, wgsl, bindings, workgroups=(1, 1, 1), constants=None):
        return self.loop.execute(wgsl, bindings, workgroups=list(workgroups), constants=constants or {})

    def has(self, wgsl_enable):
        status, text = self.execute(f"enable {wgsl_enable};\n" + subgroups.PROBES[wgsl_enable], [(0, 0, bytes(4))])
        if status != 0:
            self.assertIn("device", text)
            print(f"no {wgsl_enable} on this driver", file=sys.stderr)
        return status == 0

    def run_programs(self, list_of_programs):
        for program in list_of_programs:
            with self.subTest(program.name):
                status, parts = self.execute(program.wgsl, program.bindings(), program.workgroups, program.constants)
                self.assertEqual(status, 0, parts)
                self.assertEqual(program.wrong(parts[0]), [])

    def test_programs(self):
        every = programs.files()
        self.assertGreater(len(every), 30)
        self.run_programs(every)

    def test_limits(self):
        self.run_programs(programs.limits())

    def test_operations(self):
        checker = check.Checker(self.execute)
        failures = []
        for k, row in enumerate(operations.rows(self.has("f16"))):
            widths = row.widths if FULL else (row.widths[k % len(row.widths)],)
            for test in (forms.Test(row, width, None if FULL else 80) for width in widths):
                if FULL:
                    failures += checker.every_form(test)
                else:
                    failures += checker.run_time(test)
                    if k % 3 == 0:
                        failures += checker.early(test, ("const", "override")[k % 2], forms.BATCH // 4)
        self.assertEqual([str(f) for f in failures], [])
        self.assertEqual(checker.unsupported, [])
        self.assertGreater(checker.values, 20_000)

    def test_layouts(self):
        f16 = self.has("f16")
        for seed in range(400 if FULL else 60):
            test = layouts.LayoutTest(seed, f16 and seed % 2 == 0)
            with self.subTest(test.name):
                status, parts = self.execute(test.program(), test.bindings())
                self.assertEqual(status, 0, parts)
                self.assertEqual(tuple(parts[1:]), test.expected())

    def test_subgroups(self):
        if not self.has("subgroups"):
            self.skipTest("the driver has no subgroups")
        for test in subgroups.tests():
            with self.subTest(test.name):
                status, parts = self.execute(test.program(), test.bindings())
                self.assertEqual(status, 0, parts)
                self.assertEqual(test.wrong(parts[0]), [])


class TheCheckers(unittest.TestCase):
    """A test of the tests: what is wrong is found."""

    def test_finds_wrong_values(self):
        for row, width, wrong in ((operations.float_rows("f32")[0], 1, 0x7FC00000), (operations.integer_rows("i32")[0], 3, 12345)):
            test = forms.Test(row, width)
            words = [wrong] * (len(test.cases) * test.result_words)
            self.assertEqual(len(check.compare(test, "", test.cases, words, "")), 1)

    def test_references_have_an_opinion(self):
        for row in operations.rows():
            test = forms.Test(row, row.widths[0])
            allowed = [e for case in test.cases for e in test.expected(case)]
            known = sum(e is not None and not getattr(e, "any", False) for e in allowed)
            self.assertGreater(known, len(allowed) // 5, test.name)


if __name__ == "__main__":
    kem.main("__main__")
