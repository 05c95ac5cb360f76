#!/usr/bin/env python3
"""Writes unicode_tables.cc beside this file: the code points above ASCII that identifiers may hold.

The specification fixes Unicode 14.0.0, which Python 3.11 carries; any other version is refused.
"""
import pathlib
import sys
import unicodedata

VERSION = "14.0.0"


def ranges(accepts):
    """Closed ranges of the code points above ASCII that `accepts`."""
    found = []
    for point in range(0x80, sys.maxunicode + 1):
        if not accepts(chr(point)):
            continue
        if found and found[-1][1] == point - 1:
            found[-1][1] = point
        else:
            found.append([point, point])
    return found


def table(name, rows):
    cells = [f"{{0x{first:X}, 0x{last:X}}}" for first, last in rows]
    lines = [", ".join(cells[i : i + 5]) + "," for i in range(0, len(cells), 5)]
    return f"constexpr CodePointRange {name}[] = {{\n    " + "\n    ".join(lines) + "\n};\n"


def main():
    if unicodedata.unidata_version != VERSION:
        sys.exit(f"this Python has Unicode {unicodedata.unidata_version}, not {VERSION}")
    start = ranges(str.isidentifier)
    rest = ranges(lambda c: ("a" + c).isidentifier())
    text = (
        f"// Made by make_unicode_tables.py from Unicode {VERSION}; do not edit.\n"
        "// clang-format off\n"
        '#include "wgsl/syntax/unicode.h"\n\n'
        "namespace kem::wgsl {\nnamespace {\n\n"
        f"{table('kStart', start)}\n{table('kContinue', rest)}\n"
        "}  // namespace\n\n"
        "std::span<const CodePointRange> xid_start_ranges() { return kStart; }\n"
        "std::span<const CodePointRange> xid_continue_ranges() { return kContinue; }\n\n"
        "}  // namespace kem::wgsl\n"
    )
    pathlib.Path(__file__).with_name("unicode_tables.cc").write_text(text, encoding="ascii")


main()
