"""Cells that hold kernels, as IPython runs them."""
import pytest

import facet

CELL = """%%facet {name}
#include <facet/dsl.h>
using namespace facet;

struct FACET_KERNEL twice {{
  using Grid = product<real, real, real>;
  static cplx term(Grid::q q, const Triangle &t) {{ return {factor} * t.area * cis(dot(q, t.centroid)); }}
  static cplx finish(Grid::q q, cplx sum) {{ return sum; }}
}};
"""


@pytest.fixture
def shell():
    from IPython.testing.globalipapp import start_ipython

    shell = start_ipython() or __import__("IPython").get_ipython()
    shell.run_line_magic("load_ext", "facet")
    return shell


def test_cell(shell):
    shell.run_cell(CELL.format(name="", factor=2))
    shell.run_cell(CELL.format(name="mine", factor=2))
    f = [shell.user_ns[name](facet.Mesh.shape("box"), qz=[0.1, 0.2]) for name in ("twice", "mine")]
    assert f[0].tobytes() == f[1].tobytes()


def test_carets(shell, capsys):
    shell.run_cell(CELL.format(name="wrong", factor="faktor"))
    said = capsys.readouterr().err
    assert "cell:6:" in said and "faktor" in said and "^" in said
    assert "wrong" not in shell.user_ns
