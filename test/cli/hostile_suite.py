"""Source that means harm: each bomb ends in an answer, within the memory that a compile may take. hostile_suite.py KEM

Each of bombs.py goes through the whole compile in a process of its own: shader creation, pipeline creation, glslang.
What is held is memory (the process's peak) and that an answer comes; the limit on processor time only ends what would
never end. What an answer takes is held by `make instructions`.
"""

import os
import resource
import struct
import subprocess
import tempfile
import unittest

import bombs
import kem

PEAK_MIB = 256
CPU_SECONDS = 300


def is_instrumented(program):
    with open(program, "rb") as file:
        text = file.read()
    return b"__asan_init" in text or b"__tsan_init" in text


class Hostile(unittest.TestCase):
    instrumented = None

    @classmethod
    def setUpClass(cls):
        cls.instrumented = is_instrumented(kem.PROGRAM)
        if cls.instrumented:
            print("peaks of memory are not checked: a sanitizer's runtime takes its own")

    def explode(self, name, source):
        """The reply's status and text."""
        with tempfile.TemporaryFile() as request, tempfile.TemporaryFile() as reply:
            request.write(bombs.request(source))
            request.seek(0)
            process = subprocess.Popen([kem.PROGRAM, "check", "--serve"], stdin=request, stdout=reply,
                                       env=kem.environment(), preexec_fn=self.limit)
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            reply.seek(0)
            answer = reply.read()
        self.assertEqual(process.returncode, 0, f"{name}: the process ended with {process.returncode}")
        self.assertGreaterEqual(len(answer), 5, name)
        code, length = struct.unpack("<BI", answer[:5])
        text = answer[5:].decode()
        self.assertEqual(len(answer), 5 + length, name)
        self.assertIn(code, (0, 1), name)
        if code == 1:
            self.assertTrue(text, f"{name}: refused without a word")
            self.assertFalse(text.startswith("internal:"), f"{name}: {text[:300]}")
        if not self.instrumented:
            self.assertLessEqual(used.ru_maxrss / 1024, PEAK_MIB, f"{name}: the process's peak in MiB")
        if os.environ.get("KEM_HOSTILE_VERBOSE"):
            print(f"{used.ru_utime + used.ru_stime:6.2f} s {used.ru_maxrss / 1024:6.1f} MiB  {name}: "
                  f"{text.splitlines()[0][:90] if text else 'compiles'}", flush=True)
        return code, text

    @staticmethod
    def limit():
        resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    def explode_all(self, group):
        for name, source in group.items():
            with self.subTest(name):
                self.explode(name, source)

    def test_nesting(self):
        self.explode_all(bombs.NESTING)

    def test_text(self):
        self.explode_all(bombs.TEXT)

    def test_declarations(self):
        self.explode_all(bombs.DECLARATIONS)

    def test_constants(self):
        self.explode_all(bombs.CONSTANTS)

    def test_statements(self):
        self.explode_all(bombs.STATEMENTS)

    def test_calls(self):
        self.explode_all(bombs.CALLS)

    def test_below_limits(self):
        self.explode_all(bombs.BELOW_LIMITS)

    def test_a_limit_is_no_obstacle(self):
        code, text = self.explode("a kernel of 2,000 statements",
                                  bombs.in_main(lambda k: f"o[{k}] = i[{k}] + {k % 9};\n", size=50_000))
        self.assertEqual((code, text), (0, ""))


if __name__ == "__main__":
    kem.main(__name__)
