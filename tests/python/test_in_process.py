"""facet.run computes in the process of Python: no other process, nothing printed, signals as Python has them."""
import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import facet
from conftest import BUILD

BOX = {"kernel": "exact", "particle": {"shape": {"type": "box", "size": 10}}, "grid": {"qy": "-1:1:20", "qz": "0.1:1:20"}}

BEGIN = """
import glob, os, resource, signal, sys, threading, time
import facet
signal.signal(signal.SIGINT, signal.default_int_handler)  # a background job is started with it ignored
torus = {"kernel": "born", "particle": {"shape": {"type": "torus", "around": 60, "tube": 96}}, "grid": {"qy": "-2:2:300", "qz": "0.01:2:300"}}
how = ("--algorithm", "direct", "--class", "f64", "--target", "sse41", "--threads", "1", "--cut", "1,48,64,4000")

def units():
    return sum(line.startswith("unit ") for file in glob.glob("a.h5.journal.*") for line in open(file))

def signalled(number):
    while units() == 0:
        time.sleep(0.01)
    os.kill(os.getpid(), number)

def stop(number):
    threading.Thread(target=signalled, args=(number,)).start()
    facet.run(torus, "a.h5", options=how)
"""


def python(script, folder):
    return subprocess.run([sys.executable, "-c", BEGIN + script], cwd=folder, capture_output=True, text=True, timeout=600,
                          env={**os.environ, "PYTHONPATH": str(BUILD / "python"), "PATH": str(folder)})


def test_no_process_is_started(tmp_path):
    facet.run(BOX)  # the kernel is compiled
    done = python(f"""
before = resource.getrusage(resource.RUSAGE_CHILDREN)  # page faults and all else of children that have ended
for _ in range(2):
    result = facet.run({BOX})
print(resource.getrusage(resource.RUSAGE_CHILDREN) == before)
assert result._repr_png_().startswith(b"\\x89PNG") and result.error < 1e-5
""", tmp_path)
    assert done.stdout == "True\n", done.stderr


def test_nothing_is_printed(capfd, tmp_path):
    for options in ((), ("--timings",), ("--total",)):
        facet.run(BOX, tmp_path / "a.h5", options=options)
    facet.run(BOX, tmp_path / "a.h5", options=("--resume",))  # finished already
    assert capfd.readouterr() == ("", "")


def test_ctrl_c_keeps_units_and_python_its_handler(tmp_path):
    done = python("""
try:
    stop(signal.SIGINT)
except KeyboardInterrupt:
    kept = units()
print("kept" if kept > 0 and not os.path.exists("a.h5") else "lost")
resumed = facet.run(torus, "a.h5", options=(*how, "--resume"))
print("resumed" if f"{kept} of them finished before" in resumed.provenance["units"] else resumed.provenance["units"])
print("same" if resumed.F.values.tobytes() == facet.run(torus, options=how).F.values.tobytes() else "other")
try:
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(10)
except KeyboardInterrupt:
    print("interrupted")
""", tmp_path)
    assert done.stdout.split() == ["kept", "resumed", "same", "interrupted"], done.stderr


def test_a_handler_of_ones_own_hears_and_the_run_is_an_error(tmp_path):
    done = python("""
heard = []
signal.signal(signal.SIGTERM, lambda number, frame: heard.append(number))
try:
    stop(signal.SIGTERM)
except facet.Error as error:
    print(error, error.exit, heard == [signal.SIGTERM])
""", tmp_path)
    assert "stopped by SIGTERM with" in done.stdout and "help: go on" in done.stdout and done.stdout.endswith(" 4 True\n"), done


def test_a_batch_system_ends_python_when_units_are_on_disk(tmp_path):
    done = python("stop(signal.SIGTERM)", tmp_path)
    assert done.returncode == -signal.SIGTERM, done.stderr
    done = python('print(facet.run(torus, "a.h5", options=(*how, "--resume")).provenance["units"])', tmp_path)
    assert "of them finished before" in done.stdout, done.stderr


@pytest.mark.parametrize("options, exit, words", [
    (("--nothing",), 1, "facet run has no option '--nothing'\n  help: "),
    (("--threads", "x"), 1, "facet run: --threads: 'x' is no whole number"),
    (("--picture", "a.png"), 1, "--picture: is given 2 times"),
    (("--memory", "1"), 1, "memory"),
    (("--param", "kappa=1"), 1, "kappa"),
    (("--schedules", "none.toml"), 1, "none.toml"),
])
def test_an_error_leaves_python_as_it_was(options, exit, words, capfd):
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(facet.Error) as caught:
        facet.run(BOX, options=options)
    assert words in str(caught.value) and caught.value.exit == exit
    assert facet.run(BOX).error < 1e-5 and signal.getsignal(signal.SIGINT) == before
    assert capfd.readouterr() == ("", "")


def test_threads_have_runs_of_their_own():
    def run(height):
        return facet.run({**BOX, "particle": {"shape": {"type": "box", "size": [10, 20, height]}}}).F.values

    heights = [10, 12, 14, 16]
    alone = [run(height) for height in heights]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(run, heights))
    assert all(np.array_equal(a, b) for a, b in zip(alone, together))
