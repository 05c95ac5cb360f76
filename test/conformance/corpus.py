#!/usr/bin/env python3
"""Compares kem's verdict with Dawn's over a directory of WGSL files: accepted or refused, file by file.

  corpus.py DIR [--kem build/kem] [--all] [--show N]

Prints how many verdicts agree, then the disagreements grouped by message, most frequent first. By default only
programs without textures, samplers and render stages count; --all takes every file. Files named *.expected.* are
skipped (they are a tool's output, not input).
"""

import argparse
import collections
import pathlib
import re

import peers

RENDER = re.compile(rb"texture|sampler|@fragment|@vertex|@stage")
# Experiments of one implementation, and extensions that kem refuses by name (docs/conformance.md).
FOREIGN = re.compile(rb"chromium_|resource_table|atomic_vec2u_min_max|immediate|buffer_view|swizzle_assignment|"
                     rb"sized_binding_array|texel_buffers|<\s*buffer")


def programs(directory, everything):
    for path in sorted(pathlib.Path(directory).rglob("*.wgsl")):
        if ".expected." in path.name:
            continue
        text = path.read_bytes()
        if FOREIGN.search(text) or (not everything and RENDER.search(text)):
            continue
        yield path, text


def grouped(rows):
    groups = collections.defaultdict(list)
    for path, message in rows:
        first = message.decode(errors="replace").split("\n", 1)[0]
        groups[re.sub(r"'[^']*'", "'…'", re.sub(r"^\S*\d+:\d+ ", "", first))].append(path)
    return sorted(groups.items(), key=lambda item: -len(item[1]))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory")
    parser.add_argument("--kem")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--show", type=int, default=40)
    options = parser.parse_args()
    ours, theirs = peers.kem("check", options.kem), peers.dawn("check", ["backend=null"])
    counts = collections.Counter()
    refused, accepted, died = [], [], []
    for path, text in programs(options.directory, options.all):
        their_status, their_text = theirs.ask(text)
        our_status, our_text = ours.ask(text)
        if their_status is None:
            counts["dawn died"] += 1
            continue
        counts["accepted by dawn" if their_status == 0 else "refused by dawn"] += 1
        if our_status is None:
            died.append((path, our_text))
        elif our_status != their_status:
            (refused if our_status else accepted).append((path, our_text if our_status else their_text))
        else:
            counts["agreed accepted" if our_status == 0 else "agreed refused"] += 1
    for key, count in sorted(counts.items()):
        print(f"{count:7} {key}")
    for title, rows in (("kem died", died), ("kem refuses what dawn accepts", refused),
                        ("kem accepts what dawn refuses", accepted)):
        print(f"\n{title}: {len(rows)}")
        for message, paths in grouped(rows)[:options.show]:
            print(f"{len(paths):6} {message}   e.g. {paths[0]}")
    raise SystemExit(1 if died else 0)


if __name__ == "__main__":
    main()
