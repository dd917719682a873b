# stopped.py - stops runs in the middle, breaks what they leave, resumes, and prints what happened.
#   stopped.py FACET
import glob
import os
import shutil
import signal
import subprocess
import sys
import time

import h5py

facet = sys.argv[1]
# Seconds, on the target that every machine has: units wait for their sync up to half a second.
problem = ["--qy", "-2:2:300", "--qz", "0.01:2:300", "--algorithm", "direct", "--class", "f64", "--target", "sse41",
           "--threads", "1", "--cut", "1,48,64,4000", "--picture", "none"]
torus = ["--shape", "torus,around=60,tube=96"]


def command(output, *more, mesh=torus, kernel="born"):
    return [facet, "run", kernel, *problem, *mesh, "-o", output, *more]


def run(output, *more, mesh=torus, kernel="born"):
    return subprocess.run(command(output, *more, mesh=mesh, kernel=kernel), capture_output=True, text=True)


def units(output):
    return sum(line.startswith("unit ") for file in glob.glob(output + ".journal.*") for line in open(file))


def stop(output, how):
    """A run that was stopped with some units finished: its exit code and words."""
    process = subprocess.Popen(command(output), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while units(output) == 0 and process.poll() is None:
        time.sleep(0.01)
    process.send_signal(how)
    said = process.communicate()[1]
    if units(output) == 0:
        sys.exit(f"{output}: nothing was finished before the signal\n{said}")
    return process.returncode, said


def amplitude(output):
    with h5py.File(output) as file:
        return file["entry/amplitude/F"][()].tobytes()


if run("whole.h5").returncode != 0:
    sys.exit("the whole run failed")
whole = amplitude("whole.h5")


def resumed(what, output):
    done = run(output, "--resume")
    same = done.returncode == 0 and amplitude(output) == whole and not glob.glob(output + ".*")
    print(f"{what}: {'the same bits' if same else done.stderr}")


code, said = stop("term.h5", signal.SIGTERM)
print(f"SIGTERM: exit code {code}\n{said.strip()}")
print(f"no final file: {not os.path.exists('term.h5')}")
print(run("term.h5").stderr.strip())
print("another mesh:", run("term.h5", "--resume", mesh=["--shape", "torus,around=60,tube=97"]).stderr.strip())
print("another grid:", run("term.h5", "--resume", "--qx", "0.1").stderr.strip())
print("another kernel:", run("term.h5", "--resume", kernel="closed").stderr.strip())
print("another plan:", run("term.h5", "--resume", "--accuracy", "1e-3").stderr.strip())
resumed("after SIGTERM", "term.h5")

stop("killed.h5", signal.SIGKILL)
for name in "journal.h5", "part.h5", "tile.h5":  # what one run leaves is damaged in three ways
    for file in glob.glob("killed.h5.*"):
        shutil.copyfile(file, file.replace("killed.h5", name))

journal = glob.glob("journal.h5.journal.*")[0]
os.truncate(journal, os.path.getsize(journal) - 7)
resumed("a torn journal", "journal.h5")

os.truncate("part.h5.part", os.path.getsize("part.h5.part") // 2)
resumed("half of the file", "part.h5")

with h5py.File("tile.h5.part", "r") as file:
    offset = file["entry/amplitude/F"].id.get_offset()
with open("tile.h5.part", "r+b") as file:
    for place in range(offset, offset + 300 * 300 * 16, 4096):
        file.seek(place)
        file.write(b"damage")
resumed("damaged tiles", "tile.h5")

os.mkdir("full")
size = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", "full"], capture_output=True)
if size.returncode == 0:
    try:
        done = run("full/a.h5")
        print(f"full disk: exit code {done.returncode}, {done.stderr.strip()}\nleft: {os.listdir('full')}")
    finally:
        subprocess.run(["umount", "full"])
else:  # no right to mount: a limit on the size of files stands for it
    limited = f"ulimit -f 1000; exec {' '.join(command('full/a.h5'))}"
    done = subprocess.run(["bash", "-c", limited], capture_output=True, text=True)
    print(f"full disk: exit code {done.returncode}, {done.stderr.strip()}\nleft: {[f for f in os.listdir('full') if f == 'a.h5']}")
