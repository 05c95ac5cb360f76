"""The program under test, as the suites drive it: single commands, and the loops of --serve."""

import json
import os
import struct
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
KERNELS = os.path.join(ROOT, "kernels")
PROGRAM = os.path.join(ROOT, "build", "kem")

_cache = tempfile.TemporaryDirectory(prefix="kem-test-")


def environment(**changes):
    """No gateways and a cache of this run's own: no suite depends on the network or on an earlier run."""
    return {**os.environ, "KEM_GATEWAYS": "", "KEM_CACHE_DIR": _cache.name, "KEM_KERNEL_STORE": KERNELS, **changes}


def call(*words, stdin=b"", env=None, timeout=120):
    """Runs one command: (exit code, standard output, standard error); the outputs as bytes."""
    done = subprocess.run([PROGRAM, *words], input=stdin, capture_output=True, env=env or environment(), timeout=timeout)
    return done.returncode, done.stdout, done.stderr


def run(kernel, data, *words):
    """kem run over bytes: the output's bytes. Any failure is an AssertionError with the program's words."""
    path = kernel if len(kernel) == 43 and "." not in kernel else os.path.join(KERNELS, kernel)
    code, out, err = call("run", path, "--input", "-", "--json", *words, stdin=data)
    if code != 0:
        raise AssertionError(f"kem run {kernel}: exit {code}\n{out.decode()}{err.decode()}")
    return bytes.fromhex(json.loads(out)["output_hex"])


class Loop:
    """A --serve loop: requests go in, replies come out; nothing else may."""

    def __init__(self, command, env=None):
        self.process = subprocess.Popen([PROGRAM, command, "--serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, env=env or environment())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.communicate()

    def send(self, frame):
        self.process.stdin.write(struct.pack("<I", len(frame)) + frame)
        self.process.stdin.flush()

    def receive(self):
        header = self._exactly(5)
        status, length = struct.unpack("<BI", header)
        return status, self._exactly(length)

    def _exactly(self, count):
        data = self.process.stdout.read(count)
        if len(data) != count:
            code = self.process.wait(30)
            raise AssertionError(f"the loop ended (exit {code}): {self.process.stderr.read().decode(errors='replace')}")
        return data

    def ask(self, frame):
        self.send(frame)
        return self.receive()

    def check(self, source):
        status, body = self.ask(source if isinstance(source, bytes) else source.encode())
        return status, body.decode(errors="replace")

    def execute(self, wgsl, bindings, **fields):
        """bindings: [(group, binding, bytes)]. Returns (status, [bytes] or text)."""
        head = json.dumps({"wgsl": wgsl, **fields,
                           "bindings": [{"group": g, "binding": b, "size": len(d)} for g, b, d in bindings]}).encode()
        status, body = self.ask(struct.pack("<I", len(head)) + head + b"".join(d for _, _, d in bindings))
        if status != 0:
            return status, body.decode(errors="replace")
        parts = []
        for _, _, data in bindings:
            parts.append(body[:len(data)])
            body = body[len(data):]
        if body:
            raise AssertionError(f"{len(body)} bytes more than the bindings have")
        return status, parts

    def resident_kib(self):
        with open(f"/proc/{self.process.pid}/status") as status:
            return next(int(line.split()[1]) for line in status if line.startswith("VmRSS:"))

    def finish(self):
        """Ends the input: (exit code, what was left on standard output, standard error)."""
        out, err = self.process.communicate(timeout=60)
        return self.process.returncode, out, err


def main(module):
    """The first argument is the program; the rest are unittest's."""
    global PROGRAM
    if len(sys.argv) > 1 and os.path.isfile(sys.argv[1]):
        PROGRAM = os.path.abspath(sys.argv.pop(1))
    unittest.main(module=module, verbosity=2)
