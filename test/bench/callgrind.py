"""What callgrind wrote, read: its file format is described in Valgrind's manual, "Callgrind Format Specification"."""

import collections
import pathlib
import re
import subprocess
import tempfile


class Profile:
    """own[object, function]: instructions of the function itself; calls[object, function, callee]: how often."""

    def __init__(self, text):
        self.own = collections.Counter()
        self.calls = collections.Counter()
        self._names = collections.defaultdict(dict)
        self._read(text)

    # "(7) name" gives a name its number, "(7)" stands for it from then on; objects and functions count apart.
    def _name(self, kind, text):
        number, name = re.fullmatch(r"(?:\((\d+)\))?(?: ?(.*))", text).groups()
        if number is None:
            return name
        if name:
            self._names[kind][number] = name
        return self._names[kind].get(number, "")

    def _read(self, text):
        obj = function = callee = ""
        is_call = False
        for line in text.splitlines():
            key, _, value = line.partition("=")
            if key == "ob":
                obj = self._name("ob", value)
            elif key == "fn":
                function = self._name("fn", value)
            elif key == "cob":
                self._name("ob", value)
            elif key == "cfn":
                callee = self._name("fn", value)
            elif key == "calls":
                self.calls[obj, function, callee] += int(value.split()[0])
                is_call = True  # the next line is the callee's cost
            elif line[:1] in set("0123456789+-*"):
                cost = line.split()[1:2]
                if not is_call and cost:
                    self.own[obj, function] += int(cost[0])
                is_call = False


def profile(command, env=None):
    """The profile of a process and its threads, as text that Profile takes."""
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "out"
        done = subprocess.run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", *command],
                              capture_output=True, env=env)
        if done.returncode != 0:
            raise SystemExit(f"{' '.join(map(str, command))} under callgrind: {done.stderr.decode()[-2000:]}")
        return Profile(out.read_text(errors="replace"))
