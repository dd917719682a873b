#!/usr/bin/env python3
"""Has the operating system say no to the n-th request of each kind that a command makes, for each n.

    faults.py BUILD                      as in the tests: points drawn evenly, some of each command
    faults.py BUILD --full               all points up to --most of each command and fault: thousands
    faults.py BUILD --only run --faults write-full --at 7 -v   one of them, with what was printed

shim.cpp is preloaded into the command and all that it starts. A point is one command, one fault, one n. The
command must end by itself, in one of two ways. It gives an error of one message that says what and where, and leaves
nothing under a final name that is not whole. Or it gives exit code 0 and the outputs of a run without faults, bit for bit.
What it leaves is what a run may leave. Run once more, with --resume where there is one, it gives the same outputs.
"""
import argparse
import ctypes
import errno
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

import h5py

import commands

KINDS = ["open", "read", "write", "map", "sync", "rename", "truncate", "alloc", "thread", "library", "process", "look"]
SHORT = 0
# Name: kind, errno, whether all that follow are refused too, bytes from which allocations count.
FAULTS = {
    "open": ("open", errno.EMFILE, False, 0),
    "open-on": ("open", errno.EMFILE, True, 0),
    "open-denied": ("open", errno.EACCES, False, 0),
    "read": ("read", errno.EIO, False, 0),
    "read-short": ("read", SHORT, False, 0),
    "write-full": ("write", errno.ENOSPC, False, 0),
    "write-full-on": ("write", errno.ENOSPC, True, 0),
    "write": ("write", errno.EIO, False, 0),
    "write-short": ("write", SHORT, False, 0),
    "map": ("map", errno.ENOMEM, False, 0),
    "map-on": ("map", errno.ENOMEM, True, 0),
    "sync": ("sync", errno.EIO, False, 0),
    "sync-full": ("sync", errno.ENOSPC, True, 0),
    "rename": ("rename", errno.EIO, False, 0),
    "truncate": ("truncate", errno.ENOSPC, False, 0),
    "truncate-on": ("truncate", errno.EIO, True, 0),
    "alloc": ("alloc", errno.ENOMEM, False, 4096),
    "alloc-large": ("alloc", errno.ENOMEM, False, 16384),
    "alloc-on": ("alloc", errno.ENOMEM, True, 16384),
    "thread": ("thread", errno.EAGAIN, False, 0),
    "thread-on": ("thread", errno.EAGAIN, True, 0),
    "library": ("library", errno.ENOENT, False, 0),
    "library-on": ("library", errno.ENOENT, True, 0),
    "process": ("process", errno.EAGAIN, False, 0),
    "look": ("look", errno.EIO, False, 0),
}
HANG = 120  # seconds
# What /entry/process says of the run itself: how long it took, by how many threads, how many samples that left time for.
HOW = {"seconds", "seconds_of_derivatives", "repaired_q", "amplitudes_measured", "evaluations", "tqp_per_second", "algorithm_reason", "units", "threads", "ranks", "samples", "measured_error", "measured_rms", "reference_bound",
       "rule_error", "rule_median", "rule_samples", "kernel_manifest", "kernel_file"}
FOREIGN = re.compile(r"HDF5-DIAG|Traceback|terminate called|Stack dump|Assertion|what\(\):|PLEASE submit|\bSuccess\b|unknown error|std::")


class Shared(ctypes.Structure):
    """As in shim.cpp."""
    _fields_ = [(name, ctypes.c_int64) for name in ("kind", "at", "error", "onwards", "least", "hits")]
    _fields_ += [("counts", ctypes.c_int64 * len(KINDS)), ("who", ctypes.c_char * 512), ("of", ctypes.c_char * 64)]


class Ran:
    """A command that was run: exit code (None: it did not end), what it printed, what the shim saw."""

    def __init__(self, place, words, fault=None, at=0, of=""):
        kind, error, onwards, least = fault or ("", 0, False, 0)
        setting = Shared(kind=KINDS.index(kind) if fault else -1, at=at, error=error, onwards=onwards, least=least, of=of.encode())
        file = place.folder / "faults"
        file.write_bytes(bytes(setting))
        done = None
        try:
            done = subprocess.run(words, cwd=place.work, env={**place.environment, "FACET_FAULTS": str(file), "LD_PRELOAD": str(place.shim)},
                                  capture_output=True, text=True, errors="replace", timeout=HANG)
        except subprocess.TimeoutExpired:
            pass
        self.code = done and done.returncode
        self.out, self.err = (done.stdout, done.stderr) if done else ("", "")
        self.shim = Shared.from_buffer_copy(file.read_bytes())


class Place:
    """A fresh folder with what the commands need; `work` is where they run."""

    def __init__(self, build, base):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="faults-"))
        self.base, self.work = base, self.folder / "work"
        self.shim = build / "tests/faults/faults.so"
        self.facet, self.facetc = str(build / "bin/facet"), str(build / "bin/facetc")
        self.environment = {"PATH": f"{build}/bin:/usr/bin:/bin", "HOME": str(self.folder / "home"), "TMPDIR": str(self.folder / "tmp"),
                            "FACET_CACHE": str(self.work / "cache"), "FACET_PROFILE": str(self.work / "machine.toml"), "FACET_SCHEDULES": "",
                            "LC_ALL": "C.UTF-8", "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}

    def empty(self, name):
        shutil.rmtree(self.folder / name, ignore_errors=True)
        (self.folder / name).mkdir()

    def renew(self, command):
        for name in ("work", "home", "tmp"):
            self.empty(name)
        if self.base:
            shutil.copytree(self.base, self.work, symlinks=True, dirs_exist_ok=True)
        if command and command.cold:
            shutil.rmtree(self.work / "cache")

    def words(self, command, resume=False):
        program = {"facet": self.facet, "facetc": self.facetc, "SHIM": f"LD_PRELOAD={self.shim}"}
        return [program.get(word, word) for word in command.words] + (["--resume"] if resume else [])

    def files(self):
        return {str(p.relative_to(self.work)) for p in self.work.rglob("*") if p.is_file()}


def content(path):
    """What must be alike, by name: of HDF5 all but how the run went, of other files the bytes."""
    if path.suffix != ".h5":
        return {"bytes": path.read_bytes()}
    found = {}

    def see(name, item):
        for key, value in item.attrs.items():
            if name != "/entry/process" or key not in HOW:
                found[f"{name}.{key}"] = repr(value)
        if isinstance(item, h5py.Dataset):
            found[name] = item[()].tobytes() if item.dtype.kind != "O" else repr(item[()])
        else:
            for key in item:
                see(f"{name}/{key}", item[key])

    with h5py.File(path) as file:
        see("", file)
    return found


def difference(one, other, but):
    """In words; "" of contents that are alike."""
    return ", ".join(name for name in sorted(one.keys() | other.keys()) if one.get(name) != other.get(name) and name not in but)


def outputs(place, command):
    """Name: content, of each output that is there. What cannot be read is none that is whole."""
    found = {}
    for name in command.outputs:
        if (place.work / name).exists():
            try:
                found[name] = content(place.work / name)
            except Exception as e:  # HDF5 throws what it likes
                found[name] = {f"damaged: {e}": 1}
    return found


class Judge:
    """Runs one command: what it gives without faults, and what is wrong with a run with one."""

    def __init__(self, place, command):
        self.place, self.command = place, command
        place.renew(command)
        self.first = Ran(place, place.words(command))
        if self.first.code != 0:
            sys.exit(f"{command.name} fails without faults: {self.first.code}\n{self.first.err}")
        self.wanted, self.left = outputs(place, command), self.kept()
        missing = [name for name in command.outputs if name not in self.wanted]
        if missing:
            sys.exit(f"{command.name} does not write {missing}")
        self.printed = self.said(self.first)

    def counts(self, kind, least):
        if kind == "alloc" or self.command.of:  # by its least size, by the file
            self.place.renew(self.command)
            return Ran(self.place, self.place.words(self.command), (kind, errno.EIO, False, least), 0, self.command.of).shim.counts[KINDS.index(kind)]
        return self.first.shim.counts[KINDS.index(kind)]

    def said(self, ran):
        return self.command.printed(ran.out) if self.command.printed else ""

    def kept(self):
        """Files, less those of the cache by which processes wait for each other."""
        return {name for name in self.place.files() if not name.endswith(".lock")}

    def message(self, ran):
        """What is wrong with the way in which it failed."""
        errors = re.findall(r"^(?:facetc?|\S+\.cpp): error: .*", ran.err, re.M)
        if ran.code is None:
            return "it did not end"
        if ran.code < 0 or ran.code > 4:
            return f"it ended with {ran.code}"
        if len(errors) != 1:
            return f"{len(errors)} errors are printed"
        if found := FOREIGN.search(ran.err):
            return f"it says {found[0]!r}"
        if re.fullmatch(r"facetc?: error: (the system refused.*|[^: ]*)", errors[0]):
            return f"the message says neither what nor where: {errors[0]}"
        return ""

    def outcome(self, ran):
        """Wrong outputs, whatever the exit code."""
        found = outputs(self.place, self.command)
        for name, what in found.items():
            if differs := difference(what, self.wanted[name], self.command.varies):
                return f"{name} is there and not whole: {differs}"
        if ran.code == 0 and len(found) < len(self.wanted):
            return f"it says nothing, and {sorted(set(self.wanted) - set(found))} is missing"
        if ran.code == 0 and self.said(ran) != self.printed:
            return f"it prints something else:\n{self.said(ran)}\nfor\n{self.printed}"
        return ""

    def leftovers(self, ran, let_pass=frozenset()):
        more = self.kept() - self.left - let_pass
        if ran.code != 0:
            more = {name for name in more if not re.search(r"\.h5\.(part|sums|journal\.\d+)$", name)}
        more |= {f"TMPDIR/{p.name}" for p in (self.place.folder / "tmp").iterdir()}
        if KINDS[ran.shim.kind] in ("alloc", "write", "open", "rename", "look"):  # where LLVM gives up nothing is cleared away; nor do these names confuse
            more = {name for name in more if not re.search(r"^TMPDIR/facetc-|\.tmp\.so", name)}
        return f"it leaves {sorted(more)}" if more else ""

    def again(self):
        """Once more, without faults."""
        self.place.empty("tmp")
        let_pass = {name for name in self.kept() if name.endswith(".tmp.so")}  # by the first run's leftovers()
        ran = Ran(self.place, self.place.words(self.command, self.command.resumes))
        if ran.code != 0:
            return f"it ends with {ran.code}: {ran.err}"
        return self.outcome(ran) or self.leftovers(ran, let_pass)

    def point(self, fault, at):
        """(the run, what is wrong with it)"""
        self.place.renew(self.command)
        ran = Ran(self.place, self.place.words(self.command), FAULTS[fault], at, self.command.of)
        wrong = (self.message(ran) if ran.code != 0 else "") or self.outcome(ran) or self.leftovers(ran)
        if not wrong and ran.code != 0:
            wrong = self.again()
            wrong = wrong and f"once more: {wrong}"
        return ran, wrong


def drawn(count, most):
    """Numbers from 1 to count, evenly."""
    if count <= most:
        return list(range(1, count + 1))
    return sorted({1 + round(k * (count - 1) / (most - 1)) for k in range(most)}) if most > 1 else [(count + 1) // 2]


def base(build):
    """What all commands find: inputs, a profile that measures nothing, a cache with their kernels."""
    place = Place(build, None)
    place.renew(None)
    for name, text in commands.FILES.items():
        (place.work / name).write_text(text)
    for words in commands.PREPARE:
        done = subprocess.run([{"facet": place.facet}.get(word, word) for word in words], cwd=place.work, env=place.environment,
                              capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"{' '.join(words)}: {done.stderr}")
    stop(place)
    return place.work


def stop(place):
    """A run of five units that was refused its last rename, and whose journal knows of three."""
    ran = Ran(place, [place.facet, *commands.WHOLE[1:]], FAULTS["rename"], 2)
    journal = place.work / "stopped.h5.journal.0"
    if ran.code != 2 or not journal.exists():
        sys.exit(f"no run is left to be resumed: {ran.code}\n{ran.err}")
    journal.write_text("".join(journal.read_text().splitlines(True)[:-2]))


def campaign(given, place):
    points = bad = 0
    ends = {}
    for command in commands.COMMANDS:
        if given.only and command.name not in given.only:
            continue
        if "mpirun" in command.words and not shutil.which("mpirun"):
            print(f"{command.name}: not run, there is no mpirun")
            continue
        start, judge, here, wrong_here = time.monotonic(), Judge(place, command), 0, 0
        for fault, (kind, _, _, least) in FAULTS.items():
            if kind in command.not_for or given.faults and fault not in given.faults or not given.full and not given.faults and fault not in command.cut:
                continue
            for at in [given.at] if given.at else drawn(judge.counts(kind, least), max(given.most, command.least)):
                ran, wrong = judge.point(fault, at)
                if ran.shim.hits == 0:
                    continue
                here += 1
                ends[ran.code] = ends.get(ran.code, 0) + 1
                if wrong or given.verbose:
                    who = ran.shim.who.decode(errors="replace")
                    print(f"{'WRONG' if wrong else 'good'}: --only {command.name} --faults {fault} --at {at}: {who}: {wrong}\n"
                          + "".join(f"    {line}\n" for line in (ran.err + (ran.out if given.verbose else "")).splitlines()[:20]), end="", flush=True)
                wrong_here += bool(wrong)
        points, bad = points + here, bad + wrong_here
        print(f"{command.name}: {here} points, {wrong_here} wrong, {time.monotonic() - start:.1f} s", flush=True)
    return points, bad, ends


def main():
    ask = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    ask.add_argument("build", type=lambda path: pathlib.Path(path).resolve())
    ask.add_argument("--full", action="store_true", default=os.environ.get("FACET_FULL_TESTS") == "1")
    ask.add_argument("--most", type=int, default=0, help="points of a command and a fault")
    ask.add_argument("--only", nargs="*", help="commands")
    ask.add_argument("--faults", nargs="*", choices=FAULTS)
    ask.add_argument("--at", type=int, default=0)
    ask.add_argument("-v", "--verbose", action="store_true")
    given = ask.parse_args()
    given.most = given.most or (12 if given.full else 1)
    made = base(given.build)
    place = Place(given.build, made)
    try:
        points, bad, ends = campaign(given, place)
    finally:
        if not given.at:
            shutil.rmtree(place.folder)
        else:
            print(f"left in {place.folder}")
        shutil.rmtree(made.parent)
    print(f"{points} points, {bad} wrong; exit codes: " + ", ".join(f"{code}: {n}" for code, n in sorted(ends.items(), key=str)))
    return 1 if bad or not points else 0


if __name__ == "__main__":
    sys.exit(main())
