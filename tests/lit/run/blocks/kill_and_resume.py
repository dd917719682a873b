# kill_and_resume.py - kills a run with SIGKILL at random instants, resumes it, and compares every dataset bit for bit.
#   kill_and_resume.py "FACET" TIMES SEED -- ARGUMENTS OF facet run
# If none of them had finished a unit, more are killed, as soon as they have: it ends when one went on with some.
# FACET may be a launcher with it: "mpirun -n 2 facet", all of which are killed; resumes are of one process then.
import glob
import os
import random
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1]))
from datasets import datasets

facet, times, seed = shlex.split(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
arguments = sys.argv[sys.argv.index("--") + 1:]
token = str(os.getpid())
mark = f"FACET_TEST_RUN={token}".encode() + b"\0"


def command(output, *more):
    program = facet[-1:] if more else facet
    return [*program, "run", *arguments, "--picture", "none", "-o", output, *more]


def start(output, *more):
    return subprocess.Popen(command(output, *more), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                            start_new_session=True, env={**os.environ, "FACET_TEST_RUN": token})


def running():
    """The processes of the run that was started last, ranks in sessions of their own and those whose parent has died among them."""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/environ", "rb") as environment:
                if mark in environment.read():
                    found.append(int(name))
        except OSError:
            pass  # it has ended, or is another user's
    return found


def kill(process):
    while doomed := running():  # again, as one may have started another just now
        for pid in doomed:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        time.sleep(0.01)
    process.wait()


def wait(process, output, seconds):
    """To the end, or raises TimeoutExpired: after so many seconds or, None, as soon as a unit is finished."""
    while seconds is None and process.poll() is None:
        if any(line.startswith("unit ") for file in glob.glob(output + ".journal.*") for line in open(file)):
            raise subprocess.TimeoutExpired("a unit is finished", 0)
        time.sleep(0.01)
    process.wait(seconds)


def run(output, *more):
    return subprocess.run(command(output, *more), capture_output=True, text=True)


begun = time.monotonic()
whole = run("whole.h5")
if whole.returncode != 0:
    sys.exit(whole.stderr)
seconds = time.monotonic() - begun
expected = datasets("whole.h5")
draw = random.Random(seed)
killed = resumed = tries = 0
while killed < times or resumed == 0:  # however fast the machine is just now
    tries += 1
    if tries > 40 + 10 * times:
        sys.exit(f"{killed} of {tries} killed, {resumed} went on: all end before they are killed, or before a unit is kept")
    output = f"killed{tries}.h5"
    begun = time.monotonic()
    process = start(output)
    try:
        wait(process, output, draw.uniform(0, seconds) if tries <= times else None)
        seconds = 0.9 * (time.monotonic() - begun)  # it was faster than the one before
    except subprocess.TimeoutExpired:
        kill(process)
        killed += 1
        for again in range(2):  # the first resume is killed too, once in three
            if draw.random() < 0.33:
                process = start(output, "--resume")
                try:
                    process.wait(draw.uniform(0, seconds))
                except subprocess.TimeoutExpired:
                    kill(process)
        last = run(output, "--resume")
        if last.returncode != 0:
            sys.exit(f"{output}: resume failed\n{last.stderr}")
        resumed += "finished before" in last.stdout
    if datasets(output) != expected:
        sys.exit(f"{output}: not the same bits")
    os.remove(output)
print(f"{killed} killed of {tries}, {resumed} went on with finished units, all the same bits")
