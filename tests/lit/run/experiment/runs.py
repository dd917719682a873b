# runs.py - what curve_runs.py and scene_runs.py share: runs, their bits, runs killed once some units are finished.
import glob
import subprocess
import sys
import time

facet = sys.argv[1]


def command(file, output, *more):
    return [facet, "run", file, "--picture", "none", "-o", output, *more]


def run(*arguments, launcher=()):
    return subprocess.run([*launcher, *command(*arguments)], capture_output=True, text=True, timeout=900)


def must(done, what=""):
    if done.returncode != 0:
        sys.exit(what + done.stderr)
    return done


def bits(name, file, values, runs, *more, first=None):
    """Runs with (ranks, threads, cut), whose values are to be the same; no rank: without mpirun."""
    for number, (ranks, threads, cut) in enumerate(runs):
        launcher = ["mpirun", "--oversubscribe", "--bind-to", "none", "-n", str(ranks)] if ranks > 0 else []
        output = f"{name}{number}.h5"
        must(run(file, output, *more, "--threads", str(threads), "--cut", cut, launcher=launcher), f"{output}: ")
        first = first or values(output)
        if values(output) != first:
            sys.exit(f"{name}: other bits with {ranks} ranks, {threads} threads, units of {cut}")
    print(f"{name}: {len(runs)} runs, the same bits")


def begin(file, output, *more, first=0):
    """A run, once one of its units is finished, of those from `first` on."""
    process = subprocess.Popen(command(file, output, *more), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    while process.poll() is None and not finished(output, first):
        time.sleep(0.01)
    return process


def finished(output, first=0):
    lines = [line.split() for file in glob.glob(output + ".journal.*") for line in open(file)]
    return any(words[0] == "unit" and int(words[1]) >= first for words in lines if len(words) > 1)


def kill(file, output, *more):
    process = begin(file, output, *more)
    process.kill()
    process.communicate()
    print(f"killed with some units finished: {process.returncode == -9 and finished(output)}")


def resume(file, output, values, whole, *more):
    done = run(file, output, *more, "--resume")
    same = "finished before" in done.stdout and values(output) == values(whole) and not glob.glob(output + ".*")
    print(f"resumed: {'the same bits' if same else done.stdout + done.stderr}")
