"""A guard against work that creeps in: the instructions that a compilation takes, counted by callgrind, against
instructions.json. python3 instructions.py KEM [--update]

Instructions, unlike times, are nearly the same on every machine and in every run: 10 % over the budget is a failure,
and 20 % under it asks for a new one. The counts are those of the release build with Debian 12's g++ and libraries.
"""

import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
BUDGET = HERE / "instructions.json"
ROUNDS = 20
OVER, UNDER = 1.10, 0.80

# What is counted: inclusive, a round.
PARTS = {
    "front-end: check": r"kem::wgsl::compile\(",
    "front-end: generate": r"kem::wgsl::generate\(",
    "glslang": r"kem::spirv::\(anonymous namespace\)::translate\(",
    "SPIRV-Tools validation": r"kem::spirv::validate\(",
}
KERNELS = ("thirty-lines.wgsl", "long.wgsl")


def counts(program, kernel, rounds):
    """Inclusive instructions of each part over a whole process."""
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "out"
        subprocess.run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", program, "bench", "compile",
                        "--rounds", str(rounds), kernel], check=True, capture_output=True)
        text = subprocess.run(["callgrind_annotate", "--inclusive=yes", "--threshold=100", "--auto=no", out],
                              check=True, capture_output=True).stdout.decode()
    found = {}
    for line in text.splitlines():
        number = re.match(r"\s*([\d,]+)", line)
        for part, pattern in PARTS.items():
            if number and part not in found and re.search(r"[:\s]" + pattern, line):
                found[part] = int(number[1].replace(",", ""))
    missing = set(PARTS) - set(found)
    if missing:
        raise SystemExit(f"callgrind's output has nothing of {', '.join(sorted(missing))}")
    return found


def measure(program):
    measured = {}
    for kernel in KERNELS:
        few, many = (counts(program, HERE / kernel, rounds) for rounds in (1, 1 + ROUNDS))
        for part in PARTS:
            measured[f"{kernel}, {part}"] = (many[part] - few[part]) // ROUNDS
    return measured


def main():
    program = sys.argv[1]
    if shutil.which("valgrind") is None:
        print("skipped: the instructions of compilations are not counted, as there is no valgrind")
        return 0
    measured = measure(program)
    if "--update" in sys.argv:
        BUDGET.write_text(json.dumps(measured, indent=2) + "\n")
    budget = json.loads(BUDGET.read_text())
    failures = 0
    for name, count in measured.items():
        ratio = count / budget[name]
        verdict = "ok"
        if ratio > OVER:
            verdict = f"TOO MUCH: over the budget by {ratio - 1:.0%}"
            failures += 1
        elif ratio < UNDER:
            verdict = "less than the budget says: run this with --update and keep the gain"
        print(f"{name:45}{count:12,} instructions, budget {budget[name]:12,}  {verdict}")
    print(f"{len(measured)} tests, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
