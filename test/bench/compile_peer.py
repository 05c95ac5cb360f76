"""kem and Dawn side by side, WGSL to what a driver takes: python3 compile_peer.py [--rounds N] FILE.wgsl...

Dawn is npm's `webgpu` under Node (WEBGPU_MODULE names its index.js). Two figures of it:
  null        createShaderModule and createComputePipeline on Dawn's null backend: no SPIR-V is written, no driver called
  driver off  the same on SwiftShader (SWIFTSHADER names its library), less what vkCreateShaderModule and
              vkCreateComputePipelines took, which a driver put in between (driver_clock.c) tells
kem's figure is `kem bench compile`: front-end and glslang; SPIRV-Tools' validation, which Dawn does not do, is a
column of its own. All are CPU times, so that a busy machine does not blur them. What is not there is skipped, and
said so. KEM names the program (build/kem).
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent


def program():
    return os.environ.get("KEM", ROOT / "build" / "kem")


def entry_point(file):
    """The file's first compute entry point that kem runs, if any: those with textures it does not."""
    text = pathlib.Path(file).read_text()
    for name in re.findall(r"@compute\b[^{]*?\bfn\s+(\w+)", text):
        if subprocess.run([program(), "glsl", file, "--entry", name], capture_output=True).returncode == 0:
            return name
    return None


def checking(file, rounds):
    """Shader creation alone: a row with kem's and Dawn's, where there is no pipeline to make."""
    out = subprocess.run([program(), "bench", "check", "--json", "--rounds", str(rounds), file], check=True,
                         capture_output=True).stdout
    own = json.loads(out)[0]["value"]
    times, reason = dawn(file, "", rounds, {"DAWN_FLAGS": "backend=null"})
    theirs = f"{statistics.median(times['module']):11.0f}" if times else f"  skipped: {reason}"
    name = f"{pathlib.Path(file).name}, checked only"
    return f"{name:44}{own:11.0f}{'-':>9}{own:9.0f}{'-':>12}{theirs}"


def kem_times(file, entry, rounds):
    out = subprocess.run([program(), "bench", "compile", "--json", "--rounds", str(rounds), "--entry", entry, file],
                         check=True, capture_output=True).stdout
    rows = {row["name"]: row["value"] for row in json.loads(out)}
    return {part: rows[f"{pathlib.Path(file).name}: {part}"]
            for part in ("front-end", "glslang", "SPIRV-Tools validation")}


def dawn(file, entry, rounds, env):
    """Times of module and pipeline creation, in µs; None and a reason if Dawn is not there."""
    if shutil.which("node") is None:
        return None, "no node"
    done = subprocess.run(["node", HERE / "dawn_compile.mjs", str(rounds), entry, file], capture_output=True,
                          env={**os.environ, **env})
    if done.returncode != 0:
        lines = [line for line in done.stderr.decode().splitlines() if "rror" in line or "adapter" in line]
        return None, (lines or ["node failed"])[0]
    return json.loads(done.stdout), ""


def whole(times):
    return [m + p for m, p in zip(times["module"], times["pipeline"])]


def build_clock(folder, library):
    shared = folder / "libdriver_clock.so"
    subprocess.run([os.environ.get("CC", "cc"), "-O2", "-shared", "-fPIC", "-o", shared, HERE / "driver_clock.c", "-ldl"],
                   check=True)
    icd = folder / "icd.json"
    icd.write_text(json.dumps({"file_format_version": "1.0.0",
                               "ICD": {"library_path": str(shared), "api_version": "1.1.0"}}))
    times = folder / "times"
    times.write_text("")
    return {"VK_DRIVER_FILES": str(icd), "VK_ICD_FILENAMES": str(icd), "KEM_DRIVER": library,
            "KEM_DRIVER_TIMES": str(times), "XDG_RUNTIME_DIR": str(folder)}, times


def driver_shares(log):
    """What the driver took for each pipeline with its module, in µs."""
    shares = []
    share = 0
    for line in log.splitlines():
        what, nanoseconds = line.split()
        share += int(nanoseconds) / 1000
        if what == "pipeline":
            shares.append(share)
            share = 0
    return shares


def dawn_less_driver(file, entry, rounds):
    library = os.environ.get("SWIFTSHADER", "")
    if not os.path.isfile(library):
        return None, "SWIFTSHADER does not name libvk_swiftshader.so"
    with tempfile.TemporaryDirectory() as folder:
        env, log = build_clock(pathlib.Path(folder), library)
        times, reason = dawn(file, entry, rounds, env)
        if times is None:
            return None, reason
        shares = driver_shares(log.read_text())
        if len(shares) < rounds:
            return None, f"{len(shares)} pipelines made in {rounds} rounds: Dawn has cached some"
        return statistics.median(max(total - share, 0) for total, share in zip(whole(times), shares[-rounds:])), ""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+")
    parser.add_argument("--rounds", type=int, default=50)
    arguments = parser.parse_args()
    print(f"{'µs':44}{'front-end':>11}{'glslang':>9}{'kem':>9}{'validation':>12}{'Dawn null':>11}{'driver off':>12}")
    slower = 0
    skipped = set()
    for file in arguments.files:
        entry = entry_point(file)
        if entry is None:
            print(checking(file, arguments.rounds))
            continue
        own = kem_times(file, entry, arguments.rounds)
        total = own["front-end"] + own["glslang"]
        null, reason = dawn(file, entry, arguments.rounds, {"DAWN_FLAGS": "backend=null"})
        if null is None:
            skipped.add(f"Dawn on its null backend ({reason})")
        less, reason = dawn_less_driver(file, entry, arguments.rounds)
        if less is None:
            skipped.add(f"Dawn less the driver's share ({reason})")
        bare = f"{statistics.median(whole(null)):11.0f}" if null else f"{'-':>11}"
        rest = f"{less:12.0f}" if less else f"{'-':>12}"
        verdict = ""
        if less:
            slower += total > less
            verdict = f"  {total / less:.2f} x" + ("" if total <= less else "  slower than Dawn")
        name = f"{pathlib.Path(file).name}, {entry}"
        print(f"{name:44}{own['front-end']:11.0f}{own['glslang']:9.0f}{total:9.0f}"
              f"{own['SPIRV-Tools validation']:12.0f}{bare}{rest}{verdict}")
    for what in sorted(skipped):
        print(f"skipped: {what}")
    return 1 if slower else 0


if __name__ == "__main__":
    sys.exit(main())
