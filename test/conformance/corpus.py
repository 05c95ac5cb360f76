#!/usr/bin/env python3
"""Runs kem, and the implementations beside it, over a directory of WGSL files: accepted or refused, file by file.

  corpus.py DIR [--kem build-dev/kem] [--naga BINARY] [--verify] [--all] [--show N] [--save FILE]

Columns: kem; Dawn, where WEBGPU_MODULE names npm's `webgpu` (its index.js); naga, where --naga (or NAGA) names naga's
command line program, which is run as `BINARY FILE.wgsl`. Prints how often each accepts and refuses, how often they
agree, and the disagreements with kem grouped by message, most frequent first.

  --verify  every compute entry point of what kem accepts must become SPIR-V that SPIRV-Tools' validator takes; kem
            must be a debug build for that (`kem check` validates there). What kem accepts but says it cannot run is
            counted apart. Overrides without a default get the value 1.
  --all     every file; by default only programs without textures, samplers and render stages
  --save    a table: file, the three verdicts (0 accepted, 1 refused, - not asked), the first message of each

Files named *.expected.* are skipped (they are a tool's output, not input). Exits 1 if kem died or --verify failed.
"""

import argparse
import collections
import os
import pathlib
import re
import subprocess

import peers

RENDER = re.compile(rb"texture|sampler|@fragment|@vertex|@stage")
# Experiments of one implementation, and extensions that kem refuses by name (docs/conformance.md).
FOREIGN = re.compile(rb"chromium_|resource_table|atomic_vec2u_min_max|buffer_view|swizzle_assignment|"
                     rb"sized_binding_array|texel_buffers|<\s*buffer")
ENTRY = re.compile(r"@compute\b[^{;]*?\bfn\s+([^\s(]+)|@workgroup_size\b[^{;]*?@compute\b[^{;]*?\bfn\s+([^\s(]+)")
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.S)
OVERRIDE = re.compile(r"(?:@id\(\s*(\d+)[^)]*\)\s*)?\boverride\s+([^\s:=;]+)\s*:[^=;]*;")


def programs(directory, everything):
    for path in sorted(pathlib.Path(directory).rglob("*.wgsl")):
        if ".expected." in path.name:
            continue
        text = path.read_bytes()
        if FOREIGN.search(text) or (not everything and RENDER.search(text)):
            continue
        yield path, text


class Naga:
    """naga's command line program: one process a file."""

    def __init__(self, binary):
        self.binary = binary

    def ask(self, path):
        done = subprocess.run([self.binary, str(path)], capture_output=True, check=False)
        if done.returncode not in (0, 1):
            return None, b"exit code %d" % done.returncode
        text = done.stderr or done.stdout
        reasons = re.findall(rb"^ *= (.+)$", text, re.M)  # the innermost last
        return done.returncode, reasons[-1] if reasons else text


def first_line(text):
    lines = text.decode(errors="replace").split("\n")
    line = next((line for line in lines if line.strip() and not line.startswith("Could not")), "")
    return re.sub(r"^\S*\d+:\d+ ", "", line)


def generalized(message):
    return re.sub(r"\d+", "#", re.sub(r"`[^`]*`", "`…`", re.sub(r"'[^']*'", "'…'", message)))[:130]


def print_groups(title, rows, show):
    """rows: (path, message)."""
    groups = collections.defaultdict(list)
    for path, message in rows:
        groups[generalized(message)].append(path)
    print(f"\n{title}: {len(rows)}")
    for message, paths in sorted(groups.items(), key=lambda item: -len(item[1]))[:show]:
        print(f"{len(paths):6} {message}   e.g. {paths[0]}")


def pipelines(text):
    """The source once for each compute entry point, each with its `//!pipeline` line."""
    plain = COMMENT.sub(" ", text.decode(errors="replace"))
    given = " ".join(f"const:{ident or name}=1" for ident, name in OVERRIDE.findall(plain))
    for names in ENTRY.findall(plain):
        name = names[0] or names[1]
        yield name, f"//!pipeline entry={name} {given}\n".encode() + text


class Verification:
    def __init__(self, ours):
        self.ours = ours
        self.counts = collections.Counter()
        self.failed = []
        self.refused = []

    def add(self, path, text):
        for name, source in pipelines(text):
            status, answer = self.ours.ask(source)
            message = first_line(answer)
            if status == 0:
                self.counts["compiled to valid SPIR-V"] += 1
            elif status is None or message.startswith("internal"):
                self.failed.append((path, message))
            elif message.startswith("unsupported_kernel"):
                self.counts["valid, but not run here"] += 1
            else:
                self.counts["refused at pipeline creation"] += 1
                self.refused.append((path, message))

    def report(self, show):
        print("\ncompute entry points: " + ", ".join(f"{n} {what}" for what, n in self.counts.most_common()) +
              f", {len(self.failed)} failed")
        print_groups("refused at pipeline creation", self.refused, show)
        print_groups("failed", self.failed, show)


def report(rows, names, show):
    """rows: (path, {name: (status, message)})."""
    for name in names:
        counts = collections.Counter({0: "accepts", 1: "refuses", None: "died"}[v[name][0]] for _, v in rows)
        print(f"{name:5} " + ", ".join(f"{what} {n}" for what, n in sorted(counts.items())))
    for other in names[1:]:
        both = [(path, v) for path, v in rows if v[other][0] is not None and v["kem"][0] is not None]
        same = sum(v["kem"][0] == v[other][0] for _, v in both)
        print(f"kem and {other} agree on {same} of {len(both)}")
        print_groups(f"kem refuses, {other} accepts",
                     [(p, v["kem"][1]) for p, v in both if v["kem"][0] == 1 and v[other][0] == 0], show)
        print_groups(f"kem accepts, {other} refuses",
                     [(p, v[other][1]) for p, v in both if v["kem"][0] == 0 and v[other][0] == 1], show)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory")
    parser.add_argument("--kem", default=str(peers.ROOT / "build-dev" / "kem"))
    parser.add_argument("--naga", default=os.environ.get("NAGA"))
    parser.add_argument("--verify", action="store_true")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--show", type=int, default=40)
    parser.add_argument("--save")
    options = parser.parse_args()
    askers = {"kem": peers.kem("check", options.kem)}
    if os.environ.get("WEBGPU_MODULE"):
        askers["dawn"] = peers.dawn("check", ["backend=null"])
    if options.naga:
        askers["naga"] = Naga(options.naga)
    verification = Verification(askers["kem"]) if options.verify else None
    rows = []
    for path, text in programs(options.directory, options.all):
        verdicts = {}
        for name, asker in askers.items():
            status, answer = asker.ask(path if name == "naga" else text)
            verdicts[name] = (status, first_line(answer) if status != 0 else "")
        rows.append((path.relative_to(options.directory), verdicts))
        if verification and verdicts["kem"][0] == 0:
            verification.add(path.relative_to(options.directory), text)
    print(f"{len(rows)} programs")
    report(rows, list(askers), options.show)
    if verification:
        verification.report(options.show)
    if options.save:
        with open(options.save, "w", encoding="utf-8") as table:
            for path, verdicts in rows:
                cells = [verdicts.get(n, ("-", "")) for n in ("kem", "dawn", "naga")]
                line = [str(path)] + [str(s) for s, _ in cells] + [m.replace("\t", " ") for _, m in cells]
                table.write("\t".join(line) + "\n")
    died = any(v["kem"][0] is None for _, v in rows)
    raise SystemExit(1 if died or (verification and verification.failed) else 0)


if __name__ == "__main__":
    main()
