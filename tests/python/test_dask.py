"""Samples and fits on Dask's workers, two processes of which one is killed on the way: the bits of one process."""
import os
import signal
import time
from functools import partial

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
