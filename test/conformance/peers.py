"""Framed conversations with `kem ... --serve` and with Dawn (dawn.mjs): see the README's CLI section."""

import json
import os
import pathlib
import struct
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent


class Peer:
    """A process that answers `u32 length, bytes` with `u8 status, u32 length, bytes`; restarted when it dies."""

    def __init__(self, command, env=None):
        self.command = command
        self.env = {**os.environ, **(env or {})}
        self.deaths = 0
        self.start()

    def start(self):
        self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, env=self.env)

    def ask(self, body):
        """(status, bytes), or (None, b"died ...") if the process ended instead of answering."""
        try:
            self.process.stdin.write(struct.pack("<I", len(body)) + body)
            self.process.stdin.flush()
            head = self.process.stdout.read(5)
            if len(head) == 5:
                status, length = struct.unpack("<BI", head)
                return status, self.process.stdout.read(length)
        except BrokenPipeError:
            pass
        code = self.process.wait()
        self.deaths += 1
        self.start()
        return None, b"died with exit code %d" % code

    def execute(self, wgsl, bindings, workgroups=(1, 1, 1), entry="main", constants=None):
        """bindings: list of (group, binding, bytes). The reply's bytes are the new contents, one after another."""
        request = json.dumps({
            "wgsl": wgsl, "entry": entry, "constants": constants or {}, "workgroups": list(workgroups),
            "bindings": [{"group": g, "binding": b, "size": len(data)} for g, b, data in bindings],
        }).encode()
        return self.ask(struct.pack("<I", len(request)) + request + b"".join(data for _, _, data in bindings))


def kem(kind, binary=None, env=None):
    """kind: "check" or "exec"."""
    return Peer([binary or str(ROOT / "build" / "kem"), kind, "--serve"], env)


def dawn(kind, flags=(), env=None):
    """Dawn through Node. Needs npm's `webgpu` (WEBGPU_MODULE or resolvable from here)."""
    return Peer(["node", str(HERE / "dawn.mjs"), kind], {"DAWN_FLAGS": ",".join(flags), **(env or {})})
