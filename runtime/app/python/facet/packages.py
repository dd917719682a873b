"""Kernels of installed packages: entry points of the group ``facet.kernels``, each a kernel, or the path of a kernel file.

    python -m facet.packages NAME     for the command line: the file of a kernel, or the names of all
"""

from __future__ import annotations

import sys
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

from . import _core
from .errors import Error
from .kernel_file import Kernel, compile, kept

GROUP = "facet.kernels"


def names() -> list[str]:
    """The names of all kernels of packages."""
    return sorted({point.name for point in entry_points(group=GROUP)})


def kernel(name: str) -> Kernel | None:
    """The kernel of this name; None if no package has one."""
    points = list(entry_points(group=GROUP, name=name))
    if not points:
        return None
    if len({_package(point) for point in points}) > 1:
        raise Error(f"kernel '{name}': {' and '.join(sorted(_package(point) for point in points))} both have one\n  help: remove one of these packages")
    return compile(_file(points[0]))


def _package(point: EntryPoint) -> str:
    """Its name and version, "facet_lamps-1.2"."""
    return f"{point.dist.name}-{point.dist.version}" if point.dist is not None else "unknown"


def _file(point: EntryPoint) -> Path:
    """The kernel's text in the cache, in a folder that has the package's name and version."""
    found = point.load()
    if isinstance(found, Kernel):
        text = found.source
    elif isinstance(found, (str, Path)) and Path(found).is_file():
        text = Path(found).read_text("utf-8")
    else:
        raise Error(f"kernel '{point.name}' of {_package(point)}: {point.value} is {type(found).__name__}\n"
                    "  help: name a kernel (facet.kernel, facet.compile), or the path of a kernel file")
    return kept(text, Path(_core.cache_folder()) / "packages" / _package(point), point.name)


def main() -> int:
    """Answers the command line: runtime/engine/kernel/packages.cpp."""
    try:
        found = kernel(sys.argv[1])
    except Error as error:
        print(error, file=sys.stderr)
        return error.exit
    answer = [f"kernel: {found._file()[0]}"] if found is not None else [f"name: {name}" for name in names()]
    print("\n".join(answer), file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
