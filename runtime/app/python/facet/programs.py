"""The programs of a wheel, facet and facetc, as commands."""

import os
import sys
from pathlib import Path
from typing import NoReturn


def _become(name: str) -> NoReturn:
    program = Path(__file__).with_name("bin") / name
    os.environ.setdefault("FACET_PYTHON", sys.executable)  # which kernels of packages are asked for: packages.py
    os.execv(program, [name, *sys.argv[1:]])


def facet() -> NoReturn:
    """Becomes facet, the command."""
    _become("facet")


def facetc() -> NoReturn:
    """Becomes facetc, the compiler."""
    _become("facetc")
