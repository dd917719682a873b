"""Writes facet/_shapes.py: a constructor of Mesh for each shape that facet makes.

    shapes.py MODULE OUTPUT      MODULE: facet's _core, just built
"""
import importlib.util
import sys
from pathlib import Path

HEAD = '''"""The shapes that facet makes, as constructors of Mesh. Written by shapes.py from shapes.def when facet is built."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Union

if TYPE_CHECKING:
    from .mesh import Mesh


class Shapes:
    """Closed shapes about the origin."""

    @classmethod
    def shape(cls, kind: str, **numbers: Any) -> Mesh:
        """A shape by its name."""
        raise NotImplementedError
'''

TYPES = {"length": "float", "size": "float", "count": "int", "lengths": "Union[float, Sequence[float]]", "counts": "Union[int, Sequence[int]]"}
UNITS = {"length": "nm", "size": "nm, 0 too", "count": "a whole number", "lengths": "nm; three numbers, or one for all",
         "counts": "whole numbers; three, or one for all"}


def constructor(shape, doc, arguments):
    first = next((k for k, (_, kind, *_) in enumerate(arguments) if k > 0 and "count" in kind), None)  # from here on by name only
    given = "".join(f"{', *' if k == first else ''}, {name}: {TYPES[kind]} = {standard if 'count' not in kind else int(standard)}"
                    for k, (name, kind, standard, _) in enumerate(arguments))
    passed = "".join(f", {name}={name}" for name, *_ in arguments)
    described = "\n".join(f"            {name}: {what}; {UNITS[kind]}." for name, kind, _, what in arguments)
    return f'''
    @classmethod
    def {shape.replace("-", "_")}(cls{given}) -> Mesh:
        """{doc[0].upper()}{doc[1:]}; closed, about the origin.

        Args:
{described}
        """
        return cls.shape("{shape}"{passed})
'''


def main():
    spec = importlib.util.spec_from_file_location("_core", sys.argv[1])
    core = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(core)
    Path(sys.argv[2]).write_text(HEAD + "".join(constructor(*shape) for shape in core.shapes()))


main()
