"""Packages that facet can do without."""

from __future__ import annotations

import importlib
from typing import Any

from ..errors import Error


def needed(module: str, what: str) -> Any:
    """The module; an Error that says what needs it where it is not installed."""
    package = module.partition(".")[0]
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as failure:
        if (failure.name or "").partition(".")[0] != package:
            raise
        raise Error(f"{what}: needs the package {package}, which is not installed\n  help: pip install {package}") from None
