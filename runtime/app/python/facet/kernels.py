"""The kernels that come with facet and those of installed packages, by name; ``dir(facet.kernels)`` lists them.

>>> import facet
>>> facet.kernels.exact
<facet.Kernel exact>
>>> "born" in dir(facet.kernels)
True
"""

from __future__ import annotations

from . import _core, packages
from .kernel_file import Kernel, compile


def __getattr__(name: str) -> Kernel:
    if name.startswith("_"):  # what Python asks modules for
        raise AttributeError(name)
    if name in _core.shipped_kernels():
        return compile(name)
    if (found := packages.kernel(name)) is not None:
        return found
    raise AttributeError(f"facet.kernels: there is no {name!r}; there are {', '.join(__dir__())}")


def __dir__() -> list[str]:
    return sorted({*_core.shipped_kernels(), *packages.names()})
