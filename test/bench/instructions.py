"""A guard against work that creeps in: the instructions that a compilation and a warm call take, counted by callgrind,
against instructions.json. python3 instructions.py KEM [--update] [compile] [growth] [submit] [hostile]

Instructions, unlike times, are nearly the same on every machine and in every run: 10 % over the budget is a failure,
and 20 % under it asks for a new one. The counts are those of the release build with Debian 12's g++ and libraries.
Of a call they are those of the functions of native/core and native/vulkan themselves, on whatever thread, without the
driver, the C library and what they call; and how often those ask for memory. What waits for the device is left out: it
looks again and again, the more often the busier the machine is.
The growth is what a compilation takes for each further KiB between 64 KiB and 1 MiB, by what it takes between 16 and
64 KiB: one, where the work is linear in the module's size.
Of the bombs of test/cli/bombs.py a process's whole instructions are counted: none takes two seconds' worth, at three
instructions a nanosecond.
"""

import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import callgrind

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "cli"))
import bombs  # noqa: E402
import kem  # noqa: E402

BUDGET = HERE / "instructions.json"
LAVAPIPE = pathlib.Path("/usr/share/vulkan/icd.d/lvp_icd.x86_64.json")
ROUNDS = 20
CALLS = 500
OVER, UNDER = 1.10, 0.80

# What is counted: inclusive, a round.
PARTS = {
    "front-end: check": r"kem::wgsl::compile\(",
    "front-end: generate": r"kem::wgsl::generate\(",
    "glslang": r"kem::spirv::\(anonymous namespace\)::translate\(",
    "SPIRV-Tools validation": r"kem::spirv::validate\(",
}
KERNELS = ("thirty-lines.wgsl", "long.wgsl")


def counts(program, arguments, rounds):
    """Inclusive instructions of each part over a whole process."""
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "out"
        subprocess.run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", program, "bench", "compile",
                        "--rounds", str(rounds), *arguments], check=True, capture_output=True)
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


def compilations(program):
    measured = {}
    for kernel in KERNELS:
        few, many = (counts(program, [HERE / kernel], rounds) for rounds in (1, 1 + ROUNDS))
        for part in PARTS:
            measured[f"{kernel}, {part}"] = (many[part] - few[part]) // ROUNDS
    return measured


SIZES = (16, 64, 1024)  # KiB
GROWTH = "growth, "


def growth(program):
    small, middle, large = (counts(program, ["--size", str(kib)], 1) for kib in SIZES)
    measured = {}
    for part in PARTS:
        first = (middle[part] - small[part]) / (SIZES[1] - SIZES[0])
        measured[GROWTH + part] = round((large[part] - middle[part]) / (SIZES[2] - SIZES[1]) / first, 3)
    return measured


# A function, or a library's template, belongs to the first folder that its name has.
FOLDERS = {"native/core": "kem::core::", "native/vulkan": "kem::vulkan::"}


WAITING = re.compile(r"kem::vulkan::Tickets::(wait|check|poll|block|noted)")


def folder_of(function):
    if WAITING.search(function):
        return None
    found = {folder: function.find(prefix) for folder, prefix in FOLDERS.items()}
    return min((at, folder) for folder, at in found.items() if at >= 0)[1] if max(found.values()) >= 0 else None


def call_counts(program, calls, cache):
    env = {**os.environ, "VK_DRIVER_FILES": str(LAVAPIPE), "VK_ICD_FILENAMES": str(LAVAPIPE), "KEM_CACHE_DIR": cache,
           "KEM_KERNEL_STORE": str(HERE.parent.parent / "kernels"), "KEM_JOB_TIMEOUT_MS": "600000"}
    profile = callgrind.profile([program, "bench", "submit", "--rounds", str(calls)], env)
    counted = dict.fromkeys([*FOLDERS, "allocations"], 0)
    for (_, function), own in profile.own.items():
        if folder := folder_of(function):
            counted[folder] += own
    for (_, function, callee), times in profile.calls.items():
        if folder_of(function) and callee.startswith("operator new"):
            counted["allocations"] += times
    return counted


def submissions(program):
    if not LAVAPIPE.exists():
        print(f"skipped: a call's instructions are not counted, as there is no {LAVAPIPE}")
        return {}
    with tempfile.TemporaryDirectory() as cache:
        call_counts(program, 1, cache)  # fills the cache
        few, many = (call_counts(program, calls, cache) for calls in (CALLS, 2 * CALLS))
    return {f"warm 16-byte call, {part}": round((many[part] - few[part]) / CALLS) for part in few}


HOSTILE = "hostile, "


def explosion(program, source):
    """The instructions of a process that answers one request."""
    done = subprocess.run(["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null", program,
                           "check", "--serve"], input=bombs.request(source), capture_output=True, check=True,
                          env=kem.environment())
    return int(re.search(r"I\s+refs:\s+([\d,]+)", done.stderr.decode())[1].replace(",", ""))


def hostile(program):
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        counted = pool.map(lambda source: explosion(program, source), bombs.ALL.values())
        return {HOSTILE + name: count for name, count in zip(bombs.ALL, counted)}


MEASURES = {"compile": compilations, "growth": growth, "submit": submissions, "hostile": hostile}


# What is held to the same limit whatever was counted before: name's beginning, the most.
LIMITS = {GROWTH: 1.10, HOSTILE: 6_000_000_000}


def limit(name):
    return next((most for beginning, most in LIMITS.items() if name.startswith(beginning)), None)


def verdict(count, name, budget):
    """Whether it is too much, and the words for it."""
    if most := limit(name):
        return (True, f"limit  {most:12,}  TOO MUCH") if count > most else (False, f"limit  {most:12,}  ok")
    ratio = count / budget[name]
    words = f"budget {budget[name]:12,}  "
    if ratio > OVER:
        return True, words + f"TOO MUCH: over the budget by {ratio - 1:.0%}"
    if ratio < UNDER:
        return False, words + "less than the budget says: run this with --update and keep the gain"
    return False, words + "ok"


def main():
    program, *arguments = sys.argv[1:]
    update = "--update" in arguments
    wanted = [argument for argument in arguments if argument != "--update"] or list(MEASURES)
    if shutil.which("valgrind") is None:
        print("skipped: instructions are not counted, as there is no valgrind")
        return 0
    measured = {}
    for name in wanted:
        measured |= MEASURES[name](program)
    budget = json.loads(BUDGET.read_text())
    if update:
        budget |= {name: count for name, count in measured.items() if not limit(name)}
        BUDGET.write_text(json.dumps(budget, indent=2) + "\n")
    failures = 0
    for name, count in measured.items():
        too_much, words = verdict(count, name, budget)
        failures += too_much
        print(f"{name:50}{count:14,}  {words}")
    print(f"{len(measured)} tests, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
