"""Kernels by name, and what facet finds in them."""
import json
import pickle
import subprocess
from pathlib import Path

import pytest
from conftest import BUILD

import facet

FLAT = """#include <facet/dsl.h>
using namespace facet;
struct FACET_KERNEL flat {
  using Grid = product<real, real, real>;
  static cplx term(Grid::q q, const Triangle &t) { return t.area * abs(dot(q, t.normal)); }
  static cplx finish(Grid::q q, cplx sum) { return sum; }
};
"""


def test_by_name():
    names = {file.stem for file in (Path(__file__).resolve().parents[2] / "examples/kernels").glob("*.cpp")}
    assert set(dir(facet.kernels)) == names and len(names) > 3
    mesh = facet.Mesh.box()
    assert facet.kernels.born(mesh, qz=0.5).tobytes() == facet.compile("born")(mesh, qz=0.5).tobytes()
    assert "struct FACET_KERNEL born" in facet.kernels.born.source
    with pytest.raises(AttributeError, match="there is no 'bron'; there are .*born"):
        facet.kernels.bron


def test_explained_as_the_command_does(command):
    said = facet.explain(facet.kernels.exact)
    assert said == command("explain", "exact") == facet.explain("exact")
    assert repr(said) == str(said) and said.algorithms == {"direct": "", "separable": "", "nufft": ""}


def test_explained_as_data():
    data = facet.explain("born").data
    shown = subprocess.run([BUILD / "bin/facet", "show", "born", "--stage=manifest"], capture_output=True, text=True)
    manifest = json.loads(shown.stdout)
    assert data["name"] == "born" and data["variants"][0]["operations"]["inner_flops"] > 0
    assert data["columns"] == manifest["columns"] and {v["target"] for v in data["variants"]} == {facet.machine()}
    assert pickle.loads(pickle.dumps(facet.explain("born"))).data["columns"] == data["columns"]


def test_why_not():
    why = facet.explain(FLAT).algorithms
    assert why["direct"] == "" and "kernel.cpp:5:" in why["nufft"] and "kernel.cpp:5:" in why["separable"]


def test_plans_show_themselves():
    plan = facet.kernels.exact.plan(facet.Mesh.box(), qy="-1:1:9", qz="0.1:1:9")
    assert plan.taken.name in plan._repr_html_() and plan.reason.split(";")[0] in plan._repr_html_()
