# curve_runs.py - one curve run in many ways, and whether I keeps its bits. (Idev has the measured error of F in it, which hangs
# on how many q are compared.)
#   curve_runs.py FACET bits    on several ranks and threads, in other units
#   curve_runs.py FACET stop    killed in the middle, changed, resumed
import glob
import subprocess
import sys
import time

import h5py

facet = sys.argv[1]
curve = """kernel = "exact"
[particle]
shape = {{ type = "torus", major = 20, minor = 8, around = {around}, tube = 20 }}
size = {{ type = "gaussian", width = 0.1, points = 5 }}
[grid]
q = {{ from = 0.1, to = {last}, n = 8 }}
"""


def write(name, around=30, last=3):
    with open(name, "w") as out:
        out.write(curve.format(around=around, last=last))


def command(file, output, *more):
    return [facet, "run", file, "--picture", "none", "-o", output, "--class", "f64", *more]


def run(*arguments, launcher=()):
    return subprocess.run([*launcher, *command(*arguments)], capture_output=True, text=True, timeout=900)


def values(path):
    with h5py.File(path) as file:
        data = file["entry/sasdata"]
        assert (data["Idev"][()] <= 1e-3 * data["I"][()]).all()
        return data["I"][()].tobytes(), file["entry/process/directions"][()].tobytes()


def bits(algorithm, runs):
    first = None
    for number, (ranks, threads, cut) in enumerate(runs):
        launcher = ["mpirun", "--oversubscribe", "--bind-to", "none", "-n", str(ranks)] if ranks > 0 else []
        output = f"{algorithm}{number}.h5"
        done = run("curve.toml", output, "--algorithm", algorithm, "--threads", str(threads), "--cut", cut, launcher=launcher)
        if done.returncode != 0:
            sys.exit(f"{output}: {done.stderr}")
        first = first or values(output)
        if values(output) != first:
            sys.exit(f"{algorithm}: other bits with {ranks} ranks, {threads} threads, units of {cut} rows")
    print(f"{algorithm}: {len(runs)} runs, the same bits")


def finished(output):
    return any(line.startswith("unit ") for file in glob.glob(output + ".journal.*") for line in open(file))


def stop():
    how = ["--algorithm", "direct", "--threads", "1", "--cut", "1"]
    write("long.toml", around=300)  # seconds: units wait for their sync up to half a second
    whole = run("long.toml", "whole.h5", *how)
    if whole.returncode != 0:
        sys.exit(whole.stderr)
    process = subprocess.Popen(command("long.toml", "a.h5", *how), stdout=subprocess.DEVNULL)
    while process.poll() is None and not finished("a.h5"):
        time.sleep(0.01)
    process.kill()
    print(f"killed with some units finished: {process.wait() == -9 and finished('a.h5')}")
    for what, around, last in [("another mesh", 301, 3), ("another grid", 300, 3.1)]:
        write("other.toml", around=around, last=last)
        print(f"{what}:", run("other.toml", "a.h5", *how, "--resume").stderr.strip())
    done = run("long.toml", "a.h5", *how, "--resume")
    same = "finished before" in done.stdout and values("a.h5") == values("whole.h5") and not glob.glob("a.h5.*")
    print(f"resumed: {'the same bits' if same else done.stdout + done.stderr}")
    print("finished:", run("long.toml", "a.h5", *how, "--resume").stdout.strip())


if sys.argv[2] == "stop":
    stop()
else:
    write("curve.toml")
    bits("direct", [(0, 1, "4"), (0, 2, "4"), (0, 2, "1"), (2, 1, "4"), (4, 1, "3")])
    bits("nufft", [(0, 1, "4"), (0, 2, "4"), (2, 1, "4")])
