"""Framed conversations with `kem ... --serve` and with Dawn (dawn.mjs): see the README's CLI section."""

import json
import os
import pathlib
import select
import struct
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PATIENCE = 60  # seconds without a byte of the answer; then the peer is taken for dead


class Peer:
    """A process that answers `u32 length, bytes` with `u8 status, u32 length, bytes`; restarted when it dies."""

    def __init__(self, command, env=None):
        self.command = command
        self.env = {**os.environ, **(env or {})}
        self.deaths = 0
        self.start()

    def start(self):
        self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0,
                                        stderr=subprocess.DEVNULL, env=self.env)

    def read(self, size):
        """So many bytes, or fewer if the peer ended or is stuck."""
        out = b""
        while len(out) < size and select.select([self.process.stdout], [], [], PATIENCE)[0]:
            part = self.process.stdout.read(size - len(out))
            if not part:
                break
            out += part
        return out

    def write(self, data):
        view = memoryview(data)
        while view:
            view = view[self.process.stdin.write(view):]

    def ask(self, body):
        """(status, bytes), or (None, b"died ...") if the process ended instead of answering."""
        try:
            self.write(struct.pack("<I", len(body)) + body)
            head = self.read(5)
            if len(head) == 5:
                status, length = struct.unpack("<BI", head)
                text = self.read(length)
                if len(text) == length:
                    return status, text
        except BrokenPipeError:
            pass
        self.process.kill()
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
    command = ["sh", "-c", 'exec node "$@" 3>&1 1>&2', "sh", str(HERE / "dawn.mjs"), kind]
    return Peer(command, {"DAWN_FLAGS": ",".join(flags), **(env or {})})
