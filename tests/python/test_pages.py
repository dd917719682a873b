"""The pages of docs/notebooks are the notebooks of examples/notebooks as they stand now."""
import re
import sys

import nbformat
import pytest
from test_notebooks import NOTEBOOKS

sys.path.insert(0, str(NOTEBOOKS[0].parents[2] / "docs/notebooks"))
from render import PAGES, told  # noqa: E402


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_page(path):
    page = PAGES / f"{path.stem}.md"
    assert page.exists(), "docs/notebooks/render.py writes it"
    text = page.read_text()
    cells = [told(cell) for cell in nbformat.read(path, as_version=4).cells]
    at = 0
    for cell in cells:
        at = text.find("\n" + cell, at)
        assert at >= 0, f"docs/notebooks/render.py {path.stem} has not been run since this became another:\n{cell}"
        at += len(cell)
    fences = re.findall(r"^```(?:python|cpp)$", text, re.M)
    assert len(fences) == sum(cell.startswith("```") for cell in cells), "the page has code that the notebook has no more"
    for picture in re.findall(r"!\[.*\]\((.*)\)", text):
        assert (PAGES / picture).read_bytes().startswith(b"\x89PNG")


def test_every_page_is_of_a_notebook():
    assert {page.stem for page in PAGES.glob("*.md")} == {path.stem for path in NOTEBOOKS}


def test_every_kernel_has_its_story_and_a_picture():
    root = PAGES.parents[1]
    stories = re.split(r"^## ", (root / "docs/kernels.md").read_text(), flags=re.M)[1:]
    told_of = {name: story for story in stories for name in story.splitlines()[0].split(", ")}
    assert set(told_of) == {file.stem for file in (root / "examples/kernels").glob("*.cpp")}
    for name, story in told_of.items():
        command = re.search(r"^(?:facet run|python3 examples/\w+/)\s?(\w+)(?:\.py)? .*--picture (\w+)\.png", story, re.M)
        picture = re.search(r"!\[.+\]\((pictures/kernel_(\w+)\.png)\)", story)
        assert command and picture and command[1] == command[2] == picture[2], name
        assert (root / "docs" / picture[1]).read_bytes().startswith(b"\x89PNG"), name
