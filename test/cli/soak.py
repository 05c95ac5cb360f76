#!/usr/bin/env python3
"""Sends many requests to one `kem exec --serve`: memory must not grow, the rate must not fall, nothing else may be
written. Prints resident memory and rate at stations on the way.

  soak.py [KEM] [--count 100000] [--new 100]     every NEWth kernel is one that was never seen before

Most requests run one of 50 known kernels; the others are wrong in one of the ways below, or new. Exit status 1 if an
answer is wrong or memory grew by more than 32 MiB in the second half, when what is kept of known kernels is full."""

import argparse
import json
import os
import random
import struct
import sys
import time

import kem

DOUBLE = """@group(%d) @binding(%d) var<storage, read> input: array<u32>;
@group(%d) @binding(%d) var<storage, read_write> output: array<u32>;
override step: u32 = 1u;
@compute @workgroup_size(4)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  if id.x < arrayLength(&output) { output[id.x] = input[id.x] + %du * step; }
}
"""


def known(n):
    group = n % 3
    return DOUBLE % (group, n % 5, 3 - group, 7 + n % 4, n), [(group, n % 5), (3 - group, 7 + n % 4)]


def frame(fields, data=b""):
    head = fields if isinstance(fields, bytes) else json.dumps(fields).encode()
    return struct.pack("<I", len(head)) + head + data


def bindings(*items):
    return [{"group": g, "binding": b, "size": n} for g, b, n in items]


def wrong_frames():
    """Requests that get status 1, or 3, and nothing worse."""
    wgsl, ((g0, b0), (g1, b1)) = known(1)
    good = bindings((g0, b0, 16), (g1, b1, 16))
    return [
        b"", b"\0\0", struct.pack("<I", 2**31), frame(b""), frame(b"{"), frame(b"[]"), frame(b"null"), frame(b'{"wgsl": 1}'),
        frame({"wgsl": wgsl}), frame({"wgsl": wgsl, "bindings": {}}), frame({"wgsl": wgsl, "bindings": [1]}),
        frame({"wgsl": wgsl, "bindings": bindings((g0, b0, 16))}, bytes(16)),
        frame({"wgsl": wgsl, "bindings": good + bindings((g0, b0, 16))}, bytes(48)),
        frame({"wgsl": wgsl, "bindings": good}, bytes(31)), frame({"wgsl": wgsl, "bindings": good}, bytes(33)),
        frame({"wgsl": wgsl, "bindings": bindings((g0, b0, 0), (g1, b1, 16))}, bytes(16)),
        frame({"wgsl": wgsl, "bindings": bindings((g0, b0, 2**60), (g1, b1, 16))}, bytes(16)),
        frame({"wgsl": wgsl, "bindings": bindings((2**32, b0, 16), (g1, b1, 16))}, bytes(32)),
        frame({"wgsl": wgsl, "bindings": good, "workgroups": [-1]}, bytes(32)),
        frame({"wgsl": wgsl, "bindings": good, "workgroups": [1, 1, 1, 1]}, bytes(32)),
        frame({"wgsl": wgsl, "bindings": good, "workgroups": "1"}, bytes(32)),
        frame({"wgsl": wgsl, "bindings": good, "entry": "nobody"}, bytes(32)),
        frame({"wgsl": wgsl, "bindings": good, "entry": 7}, bytes(32)),
        frame({"wgsl": wgsl, "bindings": good, "constants": {"none": 1}}, bytes(32)),
        frame({"wgsl": wgsl, "bindings": good, "constants": {"step": -1}}, bytes(32)),
        frame({"wgsl": wgsl, "bindings": good, "constants": {"step": "x"}}, bytes(32)),
        frame({"wgsl": "fn main( {", "bindings": []}), frame({"wgsl": "", "bindings": []}),
        frame({"wgsl": "\0", "bindings": []}), frame(b'{"wgsl": "\xff\xfe", "bindings": []}'),
    ]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", nargs="?")
    parser.add_argument("--count", type=int, default=100_000)
    parser.add_argument("--new", type=int, default=100)
    options = parser.parse_args()
    if options.program:
        kem.PROGRAM = os.path.abspath(options.program)
    source, wrong = random.Random(1), wrong_frames()
    stations = sorted({1_000, 10_000, 50_000, 100_000, options.count // 2, options.count})
    failures, start_memory, last, last_at = 0, None, time.monotonic(), 0
    with kem.Loop("exec") as loop:
        for i in range(1, options.count + 1):
            if i % 20 == 0:
                status, text = loop.ask(wrong[i // 20 % len(wrong)])
                bad = status not in (1, 3) or not text
            else:
                n = 1_000 + i if i % options.new == 1 else i % 50
                wgsl, places = known(n)
                words = [source.getrandbits(16) for _ in range(4)]
                status, parts = loop.execute(wgsl, [(*places[0], struct.pack("<4I", *words)), (*places[1], bytes(16))],
                                             constants={"step": 3} if i % 2 else {})
                text = parts
                expected = struct.pack("<4I", *[w + n * (3 if i % 2 else 1) for w in words])
                bad = status != 0 or parts[1] != expected
            if bad:
                failures += 1
                print(f"request {i}: status {status}: {text!r}"[:300])
            if i in stations:
                now = time.monotonic()
                print(f"{i:7} requests  {loop.resident_kib() / 1024:7.1f} MiB  {(i - last_at) / (now - last):7.0f} a second", flush=True)
                last, last_at = now, i
            if i == max(1, options.count // 2):
                start_memory = loop.resident_kib()
        grown = loop.resident_kib() - start_memory
        end = loop.finish()
    print(f"{failures} wrong answers, {grown / 1024:.1f} MiB grown in the second half, ended with {end}")
    return 0 if not failures and grown < 32 << 10 and end == (0, b"", b"") else 1


if __name__ == "__main__":
    sys.exit(main())
