"""Notebooks: after ``%load_ext facet`` a cell ``%%facet`` holds a kernel file and makes its kernel a variable."""

from __future__ import annotations

import re
import sys
from typing import Any

from .errors import Error
from .kernel_file import compile


def cell(shell: Any, line: str, text: str) -> None:
    """Compiles the text of a cell; the kernel becomes the variable named after ``%%facet``, else one of its own name.
    Diagnostics are printed with the cell's lines and carets."""
    try:
        kernel = compile(text if "\n" in text else text + "\n")
    except Error as error:
        print(re.sub(r"^\S*/kernel\.cpp:", "cell:", str(error), flags=re.M), file=sys.stderr)
        return
    name = line.strip() or re.search(r"FACET_KERNEL\s+(\w+)", text)
    shell.user_ns[name if isinstance(name, str) else name.group(1) if name else "kernel"] = kernel


def load_ipython_extension(shell: Any) -> None:
    """What ``%load_ext facet`` calls."""
    shell.register_magic_function(lambda line, text: cell(shell, line, text), "cell", "facet")
