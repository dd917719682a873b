"""The notebooks of examples/notebooks run from top to bottom, and what they assert holds."""
import os
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

import facet

NOTEBOOKS = sorted((Path(__file__).resolve().parents[2] / "examples/notebooks").glob("*.ipynb"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_notebook(path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", os.path.dirname(facet.__path__[0]))
    notebook = nbformat.read(path, as_version=4)
    assert not any(cell.get("outputs") for cell in notebook.cells), "notebooks are kept without what they print"
    NotebookClient(notebook, timeout=600, kernel_name="python3").execute()
    assert any("image/png" in output.get("data", {}) for cell in notebook.cells for output in cell.get("outputs", []))


def test_there_are_notebooks():
    assert NOTEBOOKS
