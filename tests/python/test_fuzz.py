"""Calls with mutated arguments: an exception or a finite result, never a crash. FACET_CALLS: how many (400)."""
import os
import random

import numpy as np

import facet

ODD = [None, True, -1, 0, 1, 10**30, 0.5, -0.0, float("nan"), float("inf"), 1e308, 1j, "", "x", "1:0:5", "0:1:3", "0:1:-1", b"1", [], [[]], [1, 2, 3],
       [[1, 2, 3]], [[0, 1, 2]], (1,), {}, {"a": 1}, set(), object(), int, np.zeros(0), np.zeros((0, 3)), np.zeros((2, 3)), np.ones((3, 3)), np.eye(3),
       np.array(5), np.array([1, 2], dtype="i1"), np.array(["a"]), np.array([None]), np.full((2, 3, 3), np.nan), np.arange(9.0).reshape(1, 3, 3),
       np.ones((4, 3))[::2], np.ones(3, dtype=complex), np.array([[0, 1, 2]], dtype=np.uint8), np.datetime64("2026-01-01"), "sphere", "direct", "f64"]
MESH = facet.Mesh.shape("box")
TETRAHEDRON = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
CURVE = {"kernel": "exact", "particle": {"shape": {"type": "sphere", "radius": 2.0, "n": 2}}, "grid": {"q": [0.1, 0.2]}}


class Line:
    names = ["slope"]

    def __call__(self, values):
        return values["slope"] * np.array([1.0, 2.0])


def calls(kernel):
    plan = kernel.plan(MESH, qy="-1:1:3", qz=[0.1, 0.2], algorithm="direct", precision="f64")
    return [
        (facet.Mesh, [TETRAHEDRON, [[0, 1, 2]]], {"columns": {"c": [1.0]}, "unit": 1.0, "name": "m"}),
        (facet.Mesh, [TETRAHEDRON[None, :3]], {}),
        (facet.Mesh.shape, ["sphere"], {"radius": 2.0, "n": 2}),
        (facet.Mesh.read, ["none.stl"], {"unit": 1.0}),
        (MESH.rotated, [np.eye(3)], {}),
        (MESH.refined, [2], {}),
        (facet.Grid, [], {"qx": 0.0, "qy": [0.1], "qz": "0.1:1:2"}),
        (facet.Grid, [], {"q": [[0.0, 0.0, 1.0]]}),
        (facet.compile, ["exact"], {}),
        (kernel, [MESH], {"qz": [0.1], "accuracy": 1e-4, "threads": 1, "algorithm": "direct", "precision": "f64", "target": "", "memory": "1GB", "seed": 1}),
        (plan.set_mesh, [MESH], {}),
        (plan.set_rotation, [np.eye(3)], {}),
        (plan, [], {"sigma": 1.0}),
        (facet.Result, ["none.h5"], {}),
        (facet.run, [{"kernel": "exact"}], {}),
        (facet.explain, [kernel], {}),
        (facet.Mesh.box, [[1.0, 2.0, 3.0]], {"n": 2}),
        (facet.Simulation, [CURVE], {}),
        (facet.Simulation(CURVE).update, [], {"changes": {"particle.shape.radius": 3.0}}),
        (facet.sample, [plan, {"sigma": (0.0, 1.0)}, 2, "samples.h5"], {"seed": 1}),
        (facet.fit.Data, [[1.0, 2.0]], {"errors": [0.1, 0.1], "mask": [False, True], "counts": False}),
        (facet.fit.Parameter, [1.0, 0.0, 2.0], {}),
        (facet.fit.PlanModel, [plan], {}),
        (facet.fit.CurveModel, ["exact", [0.1, 0.2], MESH], {}),
        (facet.fit.ExperimentModel, [CURVE, {"radius": "particle.shape.radius"}], {}),
        (facet.fit.Problem, [Line(), facet.fit.Data([1.0, 2.0], errors=[0.1, 0.1]), {"slope": (1.0, 0.0, 2.0)}], {"likelihood": "gaussian"}),
    ]


def test_mutated_calls(exact, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    draw = random.Random(1)
    table = calls(exact)
    refused = 0
    for _ in range(int(os.environ.get("FACET_CALLS", "400"))):
        function, arguments, named = draw.choice(table)
        arguments, named = list(arguments), dict(named)
        for _ in range(draw.randint(1, 2)):
            keys = [*range(len(arguments)), *named]
            key = draw.choice(keys) if keys else "more"
            if isinstance(key, int):
                arguments[key] = draw.choice(ODD)
            else:
                named[key] = draw.choice(ODD)
        if any(isinstance(v, int) and abs(v) > 50 for v in [*arguments, *named.values()]):
            continue  # it might be computed for a day
        try:
            function(*arguments, **named)
        except facet.Error as error:
            assert str(error)
            refused += 1
    assert refused > 100
    assert np.isfinite(exact(MESH, qz=[0.1, 0.2])).all()
