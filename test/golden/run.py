#!/usr/bin/env python3
"""Checks that glslangValidator and spirv-val accept every expected GLSL under test/golden/wgsl.

Usage: run.py [FILE...]   (all *.expected.glsl without arguments). Exit status 1 if one is refused, 2 if a tool is
missing.
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile

FOLDER = pathlib.Path(__file__).resolve().parent / "wgsl"


def refuse(tool, result, path):
    print(f"{path}: {tool} refuses it\n{result.stdout}{result.stderr}", file=sys.stderr)
    return False


def check(path, spirv):
    tool = ["glslangValidator", "-V", "--target-env", "vulkan1.1", "-S", "comp", str(path), "-o", str(spirv)]
    result = subprocess.run(tool, capture_output=True, text=True)
    if result.returncode != 0:
        return refuse("glslangValidator", result, path)
    tool = ["spirv-val", "--target-env", "vulkan1.1", "--uniform-buffer-standard-layout", str(spirv)]
    result = subprocess.run(tool, capture_output=True, text=True)
    return result.returncode == 0 or refuse("spirv-val", result, path)


def main():
    for tool in ("glslangValidator", "spirv-val"):
        if shutil.which(tool) is None:
            print(f"{tool} is not installed (Debian packages glslang-tools, spirv-tools)", file=sys.stderr)
            return 2
    paths = [pathlib.Path(p) for p in sys.argv[1:]] or sorted(FOLDER.glob("*.expected.glsl"))
    with tempfile.TemporaryDirectory() as folder:
        good = [check(path, pathlib.Path(folder) / "out.spv") for path in paths]
    print(f"{sum(good)} of {len(good)} accepted")
    return 0 if good and all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
