# kill_and_resume.py - kills a run with SIGKILL at random instants, resumes it, and compares every dataset bit for bit.
#   kill_and_resume.py FACET TIMES SEED -- ARGUMENTS OF facet run
import random
import subprocess
import sys
import time

import h5py

facet, times, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
arguments = sys.argv[sys.argv.index("--") + 1:]


def command(output, *more):
    return [facet, "run", *arguments, "--picture", "none", "-o", output, *more]


def datasets(path):
    found = {}
    with h5py.File(path) as file:
        file.visititems(lambda name, item: found.__setitem__(name, item[()].tobytes())
                        if isinstance(item, h5py.Dataset) and item.dtype.kind in "fiucV" else None)
    return found


def run(output, *more):
    return subprocess.run(command(output, *more), capture_output=True, text=True)


begun = time.monotonic()
whole = run("whole.h5")
if whole.returncode != 0:
    sys.exit(whole.stderr)
seconds = time.monotonic() - begun
expected = datasets("whole.h5")
draw = random.Random(seed)
killed = resumed = 0
for k in range(times):
    output = f"killed{k}.h5"
    process = subprocess.Popen(command(output), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        process.wait(draw.uniform(0, seconds))
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        killed += 1
        for again in range(2):  # the first resume is killed too, once in three
            if draw.random() < 0.33:
                process = subprocess.Popen(command(output, "--resume"), stdout=subprocess.DEVNULL,
                                           stderr=subprocess.DEVNULL)
                try:
                    process.wait(draw.uniform(0, seconds))
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.wait()
        last = run(output, "--resume")
        if last.returncode != 0:
            sys.exit(f"{output}: resume failed\n{last.stderr}")
        resumed += "finished before" in last.stdout
    if datasets(output) != expected:
        sys.exit(f"{output}: not the same bits")
print(f"{killed} of {times} killed, {resumed} went on with finished units, all the same bits")
