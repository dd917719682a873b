"""Samples and fits on Dask's workers, two processes of which one is killed on the way: the bits of one process."""
import os
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from test_executors import Q, fitted, problem_of
from test_pickles import ball

import facet
from facet import fit

distributed = pytest.importorskip("distributed")
N, HELD, KILLED = 200, 120, 60


@pytest.fixture(scope="module")
def client():
    with distributed.LocalCluster(2, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs="CRITICAL") as cluster:
        with distributed.Client(cluster) as client:
            yield client


def meshed(folder, radius, index):
    """A sphere. Who asks for it is written down; from a sample on a worker waits until one was killed."""
    if (folder / "begun").exists():
        with open(folder / f"{os.getpid()}.pid", "a") as said:
            said.write(f"{index:.0f}\n")
        end = time.monotonic() + 60
        while index >= HELD and not (folder / "killed").exists() and time.monotonic() < end:
            time.sleep(0.01)
    return facet.Mesh.sphere(radius, n=8)


def of(pid, folder):
    return [int(line) for line in (folder / f"{pid}.pid").read_text().split()]


@pytest.mark.filterwarnings("ignore:Sending large graph")
def test_a_worker_is_killed_midway(client, exact, tmp_path):
    def run(path, **how):
        plan = exact.plan(facet.Mesh.sphere(8, n=8), qy="-1:1:12", qz="0.001:1:10", threads=1)
        return facet.sample(plan, {"radius": (5, 10), "index": np.arange(float(N))}, N, tmp_path / path, rotation="uniform",
                            mesh=partial(meshed, tmp_path), **how)

    killed = []

    def kill(done, n):
        """A worker that has computed some, when a part is done that no worker waits for."""
        (tmp_path / "begun").touch()
        if done == KILLED:
            killed.append(max((int(file.stem) for file in tmp_path.glob("*.pid") if int(file.stem) != os.getpid()),
                              key=lambda pid: len(of(pid, tmp_path))))
            os.kill(killed[0], signal.SIGKILL)
            (tmp_path / "killed").touch()

    found = run("dask.h5", executor=client, progress=kill)
    others = {int(file.stem) for file in tmp_path.glob("*.pid")} - {os.getpid(), killed[0]}
    assert of(killed[0], tmp_path) and any(index >= HELD for pid in others for index in of(pid, tmp_path))
    assert len(found) == N and found.results.tobytes() == run("alone.h5").results.tobytes()


def test_a_fit(client):
    """By what a client has for concurrent.futures, too."""
    pytest.importorskip("scipy")
    results = [fitted(fit.least_squares(problem_of(fit.CurveModel("exact", Q, ball)), executor=on))
               for on in (None, client, client.get_executor())]
    assert results[1] == results[2] == results[0]


SRUN = """#!/bin/bash
# Starts a command SLURM_NTASKS times, with the variables of a step.
[[ $1 == --kill-on-bad-exit=0 ]] && shift
trap 'kill $(jobs -p)' TERM
for ((rank = 0; rank < SLURM_NTASKS; ++rank)); do
  SLURM_PROCID=$rank SLURM_STEP_NUM_TASKS=$SLURM_NTASKS "$@" &
done
wait
wait
"""
EXAMPLE = Path(__file__).resolve().parents[2] / "examples/slurm"


def test_the_batch_job(tmp_path):
    """Without Slurm: a job whose time is over before a worker came is put back, and the next start goes on."""
    programs = tmp_path / "bin"
    programs.mkdir()
    for name, text in (("srun", SRUN), ("scontrol", '#!/bin/bash\necho "$@" >>requeued\n')):
        (programs / name).write_text(text)
        (programs / name).chmod(0o755)
    variables = os.environ | {"PATH": f"{programs}:{Path(sys.executable).parent}:{os.environ['PATH']}", "SLURM_JOB_ID": "7", "SLURM_PROCID": "0",
                              "PYTHONPATH": os.path.dirname(facet.__path__[0])}

    def start(tasks):
        return subprocess.Popen([EXAMPLE / "dask.sbatch", EXAMPLE / "sample.py", "24"], cwd=tmp_path, env=variables | {"SLURM_NTASKS": tasks},
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    job, end = start("0"), time.monotonic() + 120
    while not (tmp_path / "training.h5").exists() and time.monotonic() < end:
        time.sleep(0.05)
    job.send_signal(signal.SIGTERM)
    said = job.communicate(timeout=120)[0]
    assert job.returncode == 128 + signal.SIGTERM and (tmp_path / "requeued").read_text() == "requeue 7\n", said
    assert len(facet.Samples(tmp_path / "training.h5")) == 0
    job = start("2")
    said = job.communicate(timeout=120)[0]
    assert job.returncode == 0 and not (tmp_path / "dask-7.json").exists(), said
    found = facet.Samples(tmp_path / "training.h5")
    plan = facet.kernels.exact.plan(facet.Mesh.sphere(10), qy="-1:1:200", qz="0.1:2:150", threads=1)
    plan._follow(found.provenance["decision"])
    for k in (0, 23):
        plan.set_mesh(facet.Mesh.sphere(found.parameters["radius"][k]))
        assert found.results[k].tobytes() == plan().tobytes()
