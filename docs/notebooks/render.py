#!/usr/bin/env python3
"""Runs the notebooks of examples/notebooks and writes each as a page beside this file, with what it printed and its pictures.

    PYTHONPATH=build/python build/venv/bin/python docs/notebooks/render.py [NAME ...]       default: all
"""
import base64
import re
import sys
import tempfile
from pathlib import Path

import nbformat
from nbclient import NotebookClient

PAGES = Path(__file__).resolve().parent
NOTEBOOKS = PAGES.parents[1] / "examples/notebooks"
TEMPORARY = re.escape(tempfile.gettempdir()) + r"/\w+/"  # another one each time


def told(cell):
    """A cell as a page tells it, without what it printed."""
    if cell.cell_type != "code":
        return cell.source.strip() + "\n"
    return f"```{'cpp' if cell.source.startswith('%%facet') else 'python'}\n{cell.source.strip()}\n```\n"


def outputs(cell, name, count):
    """What a cell printed, and its pictures, which are written."""
    for output in cell.get("outputs", []):
        data = output.get("data", {})
        if "image/png" in data:
            picture = PAGES / f"{name}_{next(count)}.png"
            picture.write_bytes(base64.b64decode(data["image/png"]))
            yield f"![{name}]({picture.name})\n"
        elif output.get("name") == "stderr":  # warnings, with paths of this machine
            continue
        elif text := output.get("text") or data.get("text/plain"):
            yield f"```text\n{re.sub(TEMPORARY, '', text.rstrip())}\n```\n"


def render(path):
    notebook = nbformat.read(path, as_version=4)
    NotebookClient(notebook, timeout=600, kernel_name="python3").execute()
    count = iter(range(1, 1000))
    for old in PAGES.glob(f"{path.stem}_*.png"):
        old.unlink()
    parts = [f"<!-- Of examples/notebooks/{path.name}, by docs/notebooks/render.py. -->\n"]
    for cell in notebook.cells:
        parts += [told(cell), *outputs(cell, path.stem, count)]
    (PAGES / f"{path.stem}.md").write_text("\n".join(parts))


if __name__ == "__main__":
    for notebook in sorted(NOTEBOOKS.glob("*.ipynb")):
        if notebook.stem in (sys.argv[1:] or [notebook.stem]):
            render(notebook)
