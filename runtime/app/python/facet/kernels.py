"""The kernels that come with facet, by name; ``dir(facet.kernels)`` lists them.

>>> import facet
>>> facet.kernels.exact
<facet.Kernel exact>
>>> "born" in dir(facet.kernels)
True
"""

from __future__ import annotations

from . import _core
from .kernel import Kernel, compile


def __getattr__(name: str) -> Kernel:
    if name.startswith("_"):  # what Python asks modules for
        raise AttributeError(name)
    names = _core.shipped_kernels()
    if name not in names:
        raise AttributeError(f"facet.kernels: there is no {name!r}; there are {', '.join(names)}")
    return compile(name)


def __dir__() -> list[str]:
    return _core.shipped_kernels()
