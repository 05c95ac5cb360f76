#!/usr/bin/env python3
"""Compares kem's verdict with Dawn's over programs made from the specification's rules (rules/).

  verdicts.py [--count N] [--seed S] [--rule NAME ...] [--kem build/kem] [--show N] [--list]

N programs for each rule (1,000). Programs whose first line is `//!pipeline ...` are checked at pipeline creation too.
Prints, by section of the specification, how many programs both accept, both refuse, and the disagreements, grouped by
message. Exits 1 if there were disagreements that docs/conformance.md does not explain (KNOWN below) or kem died.
"""

import argparse
import collections
import random
import re

import peers
import rules

# Disagreements with a reason: which side refuses, what its message says, and, where that is not enough, what the
# program has (docs/conformance.md).
KNOWN = [
    # Between the greatest finite value and the next power of two either rounding is right (spec "Floating Point
    # Rounding and Overflow"): kem takes the finite value, Dawn infinity.
    ("overflow that may round down", "dawn", r"cannot be represented as 'f16'"),
    # decimal_float_literal and decimal_int_literal do not begin with 0 and another digit, unless a point follows.
    ("leading zeros", "kem", r"leading zeros are not allowed"),
    # A language extension that the specification's text does not have.
    ("swizzle assignment", "kem", r"cannot assign to a value of type"),
    # Only bufferView gives pointers to runtime-sized arrays outside of address space storage (extension buffer_view).
    ("runtime-sized arrays of buffer_view", "kem", r"so it cannot be stored in address space '(workgroup|uniform)'"),
    # continuing_compound_statement has nothing between break_if_statement and the brace.
    ("empty statement after 'break if'", "kem", r"'break if' must be last in its block, found ';'"),
    # Dawn evaluates the default of an override that has been given a value (spec "override Declarations").
    ("default of an override with a value", "dawn", r"while running Null writer"),
    # 'ldexp': where one argument is concrete, the other becomes so too, and its value must fit.
    ("ldexp with one abstract argument", "kem", r"cannot be represented as '(i32|f32)'|is greater than", r"ldexp\("),
    # Only an entry point's interface has to interpolate integers flat; Dawn looks at every structure.
    ("interpolation outside of interfaces", "dawn", r"must be 'flat' for integral"),
    # The address spaces private, function and workgroup want RequiredAlignOf too (spec "align").
    ("alignment of what is not host-shareable", "kem", r"'@align' must be a power of two and a multiple of"),
    # The text gives these functions' accuracy, not their steps: kem looks at the result alone.
    ("overflow on the way to a finite result", "dawn", r"cannot be represented as 'abstract-float'"),
    ("overflow on the way to a finite result", "dawn", r"'.* [*%] .*' cannot be represented as 'f32'"),
    ("overflow on the way to a finite result", "kem", r"'determinant.*' has no finite value"),
]


def reason(program, ours, our_text, their_text):
    for name, refuses, pattern, *has in KNOWN:
        text = our_text if refuses == "kem" else their_text
        if (refuses == "kem") == (ours == 1) and re.search(pattern, text) and all(re.search(h, program) for h in has):
            return name
    return None


def first_line(text):
    lines = [line for line in text.split("\n") if "error" in line.lower()] or text.split("\n")
    return re.sub(r"^\S*\d+:\d+ ", "", lines[0])


def generalized(message):
    return re.sub(r"-?\d+(\.\d+)?(e[+-]?\d+)?", "#", re.sub(r"'[^']*'", "'…'", message))[:110]


class Section:
    def __init__(self, title):
        self.title = title
        self.counts = collections.Counter()
        self.groups = collections.defaultdict(list)

    def add(self, program, ours, theirs):
        our_status, our_text = ours[0], ours[1].decode(errors="replace")
        their_status, their_text = theirs[0], theirs[1].decode(errors="replace")
        if our_status is None or their_status is None:
            who = "kem" if our_status is None else "dawn"
            self.counts[f"{who} died"] += 1
            if who == "kem":
                self.groups["kem died"].append((program, our_text))
        elif our_status == their_status:
            self.counts["refused" if our_status else "accepted"] += 1
        elif (name := reason(program, our_status, our_text, their_text)) is not None:
            self.counts[f"explained: {name}"] += 1
        else:
            self.counts["different"] += 1
            message = first_line(our_text if our_status else their_text)
            self.groups[("kem: " if our_status else "dawn: ") + generalized(message)].append((program, message))


def compare(name, title, function, options, ours, theirs):
    section = Section(title)
    for seed in range(options.seed, options.seed + options.count):
        program = function(random.Random(f"{name} {seed}"))
        source = program.encode("utf-8", "surrogatepass")
        section.add(program, ours.ask(source), theirs.ask(source))
    return section


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rule", action="append")
    parser.add_argument("--kem")
    parser.add_argument("--show", type=int, default=10)
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    table = rules.load()
    if options.list:
        for name, (title, _) in table.items():
            print(f"{name:20} {title}")
        return
    ours, theirs = peers.kem("check", options.kem), peers.dawn("check", ["backend=null"])
    total = collections.Counter()
    for name, (title, function) in table.items():
        if options.rule and name not in options.rule:
            continue
        section = compare(name, title, function, options, ours, theirs)
        total.update(section.counts)
        print(f"{name}: {title}\n    " + ", ".join(f"{n} {what}" for what, n in sorted(section.counts.items())), flush=True)
        for message, rows in sorted(section.groups.items(), key=lambda item: -len(item[1]))[:options.show]:
            program, text = min(rows, key=lambda row: len(row[0]))
            print(f"  {len(rows):4} {message}\n       {text[:160]}")
            print("       | " + program.rstrip("\n").replace("\n", "\n       | ")[-900:])
    print("all: " + ", ".join(f"{n} {what}" for what, n in sorted(total.items())))
    raise SystemExit(1 if total["different"] or total["kem died"] else 0)


if __name__ == "__main__":
    main()
