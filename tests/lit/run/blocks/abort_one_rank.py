# abort_one_rank.py - aborts one rank of a run in the middle: the others must end, what is finished stay.
#   abort_one_rank.py FACET
import os
import pathlib
import signal
import subprocess
import sys
import time


def problem(tube):
    return [sys.argv[1], "run", "born", "--shape", f"torus,around=120,tube={tube}", "--qy", "-2:2:400", "--qz",
            "0.01:2:400", "--algorithm", "direct", "--class", "f64", "--threads", "1", "--cut", "1,48,64,4000",
            "--picture", "none", "-o", "aborted.h5"]


ranks = ["mpirun", "--oversubscribe", "--bind-to", "none", "-n", "3"]


def rank(number):
    """The process of a rank, by the variable that mpirun gives it."""
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if str(pathlib.Path.cwd()) == os.readlink(process / "cwd") and b"aborted.h5" in (process / "cmdline").read_bytes() \
                    and f"OMPI_COMM_WORLD_RANK={number}".encode() in (process / "environ").read_bytes().split(b"\0"):
                return int(process.name)
        except OSError:  # gone meanwhile, or another's
            pass
    return None


def started(tube):
    """A run with a finished unit on the disk; None where the machine was done with all before one was seen."""
    run = subprocess.Popen([*ranks, *problem(tube)], stderr=subprocess.PIPE, text=True)
    while not (journal.exists() and "\nunit " in journal.read_text()):
        if run.poll() is not None:
            return None
        time.sleep(0.01)
    return run


journal = pathlib.Path("aborted.h5.journal.1")
tube = 120
while (run := started(tube)) is None:
    os.remove("aborted.h5")
    tube *= 4
os.kill(rank(1), signal.SIGABRT)
error = run.communicate(timeout=900)[1]
print(f"ended by itself: {run.returncode != 0}")
print(f"says so: {error.count('signal 6')} time")
print(f"no final file: {not os.path.exists('aborted.h5')}")
resumed = subprocess.run([*problem(tube), "--resume"], capture_output=True, text=True)
print(f"then: exit code {resumed.returncode}, {resumed.stderr.strip()}")
