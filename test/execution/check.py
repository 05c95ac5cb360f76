"""Runs tests (forms.py) on a peer that speaks `kem exec --serve`, and says what was not allowed."""

import re
import struct

import forms


class Failure:
    def __init__(self, test, form, text, wgsl=""):
        self.test, self.form, self.text, self.wgsl = test, form, text, wgsl

    def __str__(self):
        return f"{self.test} [{self.form}]: {self.text}"


def compare(test, form, cases, words, wgsl):
    """At most three failures a test, with a count."""
    failures, n = [], test.result_words
    scalars = [t.scalar for t in test.results for _ in range(t.count)]
    for k, case in enumerate(cases):
        for i, (expected, scalar) in enumerate(zip(test.expected(case), scalars)):
            word = words[k * n + i]
            if not forms.allowed(expected, scalar, word):
                failures.append(f"{case} [{i}] = {forms.shown(scalar, word)}, allowed {expected}")
    shown = "".join("\n    " + f for f in failures[:3])
    return [Failure(test.name, form, f"{len(failures)} wrong of {len(cases)}:{shown}", wgsl)] if failures else []


class Checker:
    """execute(wgsl, bindings, workgroups) -> (status, [bytes] or text). Counts values compared."""

    def __init__(self, execute):
        self.execute = execute
        self.values = self.programs = 0
        self.unsupported = []

    def outcome(self, wgsl, output_words, input_words=None, workgroups=1):
        bindings = [(0, 1, bytes(4 * output_words))]
        if input_words is not None:
            bindings.append((0, 0, forms.pack_words(input_words)))
        self.programs += 1
        status, parts = self.execute(wgsl, bindings, (workgroups, 1, 1))
        if status != 0:
            return status, parts
        self.values += output_words
        return 0, struct.unpack(f"<{output_words}I", parts[0])

    def run_time(self, test):
        wgsl, words, groups = test.run_time()
        status, answer = self.outcome(wgsl, len(test.cases) * test.result_words, words, groups)
        if status == 3:
            self.unsupported.append(test.name)
            return []
        if status != 0:
            return [Failure(test.name, "run time", f"refused: {answer}", wgsl)]
        return compare(test, "run time", test.cases, answer, wgsl)

    def early(self, test, form, most=None):
        cases = test.early_cases(form)
        if most and len(cases) > most:
            cases = cases[::(len(cases) + most - 1) // most]
        failures = []
        for start in range(0, len(cases), forms.BATCH):
            failures += self.batch(test, form, cases[start:start + forms.BATCH])
        return failures

    def batch(self, test, form, cases):
        """Cases that are refused are named and left out, until the rest runs."""
        failures = []
        while cases:
            wgsl, lines = test.early(cases, form)
            status, answer = self.outcome(wgsl, len(cases) * test.result_words)
            if status == 0:
                return failures + compare(test, form, cases, answer, wgsl)
            if status == 3:
                self.unsupported.append(test.name)
                return failures
            bad = {int(n) for n in re.findall(r":(\d+):\d+ error", answer)} if isinstance(answer, str) else set()
            refused = [case for case, line in zip(cases, lines) if line in bad]
            failures.append(Failure(test.name, form, f"refused {refused[:3]}: {str(answer)[:400]}", wgsl))
            if not refused:
                return failures
            cases = [case for case in cases if case not in refused]
        return failures

    def every_form(self, test, most=None):
        failures = self.run_time(test) + self.early(test, "const", most) + self.early(test, "override", most)
        if test.row.abstract and all(t.scalar not in ("f16", "u32") for t in test.parameters):
            if test.row.abstract == "int" or all(t.scalar in ("f32", "bool") for t in test.results):
                failures += self.early(test, "abstract", most)
        return failures
