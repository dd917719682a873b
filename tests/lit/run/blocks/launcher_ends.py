# launcher_ends.py - ends mpirun, or a rank of it, in the middle of a run, and prints what is said and kept.
#   launcher_ends.py FACET
import glob
import os
import pathlib
import signal
import subprocess
import sys
import time

# A busy machine may need more than the second that mpirun gives. It always waits for all of it.
ranks = ["mpirun", "-q", "--oversubscribe", "--bind-to", "none", "--mca", "odls_base_sigkill_timeout", "2", "-n"]


def problem(cut):
    """A minute of work: none is done before it is stopped."""
    return [sys.argv[1], "run", "born", "--shape", "torus,around=400,tube=120", "--qy", "-2:2:400", "--qz", "0.01:2:400", "--algorithm", "direct",
            "--class", "f64", "--target", "sse41", "--threads", "1", "--cut", cut, "--picture", "none", "-o", "a.h5"]


def ranks_here():
    """Processes of this folder's run, by rank."""
    found = {}
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if str(pathlib.Path.cwd()) == os.readlink(process / "cwd") and (process / "comm").read_text().strip() == "facet":
                words = (process / "environ").read_bytes().split(b"\0")
                found |= {int(w.split(b"=")[1]): int(process.name) for w in words if w.startswith(b"OMPI_COMM_WORLD_RANK=")}
        except OSError:  # gone meanwhile, or another's
            pass
    return found


def units():
    return sum(line.startswith("unit ") for file in glob.glob("a.h5.journal.*") for line in open(file))


def end(what, n, cut, how, rank=None, wait=lambda: units() > 0):
    for file in glob.glob("a.h5*"):
        os.remove(file)
    run = subprocess.Popen([*ranks, str(n), *problem(cut)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while not wait() and run.poll() is None:
        time.sleep(0.01)
    os.kill(run.pid if rank is None else ranks_here()[rank], how)
    said = run.communicate(timeout=300)[1]
    errors = [line for line in said.splitlines() if line.startswith("facet: error: ")]
    print(f"{what}: killed: {run.returncode < 0}, messages: {len(errors)}, {errors[0][7:] if errors else said}, in journals: {units()}", flush=True)


end("SIGTERM", 2, "1,48,64,0", signal.SIGTERM)
end("rank 1 killed", 3, "1,48,64,0", signal.SIGKILL, rank=1)
end("rank 0 killed", 3, "1,48,64,0", signal.SIGKILL, rank=0)
# mpirun sends its ranks SIGTERM for either signal.
end("a shared unit", 2, "1,400,400,1000", signal.SIGINT, wait=lambda: len(glob.glob("a.h5.journal.*")) == 2)
