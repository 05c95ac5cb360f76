#!/usr/bin/env python3
"""Runs random integer programs on kem and on Dawn and compares the outputs byte for byte.

  differential.py [--count N] [--seed S] [--kem build/kem] [--keep DIR]

Both use the Vulkan driver of the environment (VK_DRIVER_FILES); Dawn refuses some, SwiftShader works for both.
A program that differs is run on Dawn once more with the zero values of its variables written out, as Dawn on
SwiftShader does not give a variable of a loop's body its zero value in every iteration: that is "equal with zero values
written out" if it then gives what kem gave for the program as it is. Programs that differ are kept in DIR. Exits 1 if any
differed otherwise or a peer died.
"""

import argparse
import collections
import pathlib
import random
import re
import struct

import generate
import peers


def with_zero_values(wgsl):
    return re.sub(r"(?m)^(\s+)var (\w+): ([\w<>, ]+);", r"\1var \2: \3 = \3();", wgsl)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kem")
    parser.add_argument("--keep")
    options = parser.parse_args()
    ours, theirs = peers.kem("exec", options.kem), peers.dawn("exec")
    counts = collections.Counter()
    for seed in range(options.seed, options.seed + options.count):
        wgsl = generate.program(seed)
        source = random.Random(seed)
        words = [source.getrandbits(32) for _ in range(generate.WORDS)]
        bindings = [(0, 0, struct.pack(f"<{generate.WORDS}I", *words)), (0, 1, bytes(4 * generate.WORDS))]
        theirs_status, theirs_bytes = theirs.execute(wgsl, bindings)
        ours_status, ours_bytes = ours.execute(wgsl, bindings)
        outcome = "equal" if (ours_status, ours_bytes) == (theirs_status, theirs_bytes) else "different"
        if ours_status == 1 and theirs_status == 1:
            outcome = "refused by both"
        elif ours_status is None or theirs_status is None:
            outcome = "kem died" if ours_status is None else "dawn died"
        elif ours_status != theirs_status:
            outcome = "refused by kem alone" if ours_status else "refused by dawn alone"
        elif outcome == "different" and theirs.execute(with_zero_values(wgsl), bindings) == (ours_status, ours_bytes):
            outcome = "equal with zero values written out"
        counts[outcome] += 1
        if outcome not in ("equal", "refused by both", "dawn died"):
            print(f"seed {seed}: {outcome}")
            print("  kem: ", ours_bytes[:300] if ours_status else ours_bytes[-4 * generate.WORDS:][:4].hex())
            print("  dawn:", theirs_bytes[:300] if theirs_status else theirs_bytes[-4 * generate.WORDS:][:4].hex())
            if options.keep:
                pathlib.Path(options.keep).mkdir(parents=True, exist_ok=True)
                pathlib.Path(options.keep, f"{seed}.wgsl").write_text(wgsl)
    print(", ".join(f"{count} {key}" for key, count in sorted(counts.items())))
    good = ("equal", "equal with zero values written out", "refused by both", "dawn died")
    bad = options.count - sum(counts[outcome] for outcome in good)
    raise SystemExit(1 if bad else 0)


if __name__ == "__main__":
    main()
