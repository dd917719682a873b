"""Curves of meshes as plugin models of sasmodels and SasView."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..errors import Error
from .content import Numbers
from .model import CurveModel, Function, Part, volume

#: of lengths and of scattering length densities in SasView
LENGTH, DENSITY = "Ang", "1e-6/Ang^2"


def plugin(mesh: Function, *, title: str = "", units: Mapping[str, str] | None = None, kernel: str = "exact", **options: Any) -> dict[str, Any]:
    """What a model file of sasmodels defines, for particles of one contrast whose shape is a mesh. The file is

        import facet
        def mesh(polar=5.0, equatorial=12.5): ...             # returns a facet.Mesh; arguments are nm
        globals().update(facet.fit.plugin(mesh, title="an ellipsoid"))

    and lies where SasView looks for plugins, or is given to sasmodels.core.load_model by its path.

    Args:
        mesh: a function of named parameters with defaults, nm; it returns a closed Mesh. Parameters are lengths, Ang in
            SasView (and may have its polydispersity), unless units say something else.
        title: a line for people.
        units: {name: unit} of arguments that are no lengths, "" or "degrees".
        kernel: the form factor of a volume, nm^3.
        options: what CurveModel takes: directions, accuracy, threads, ...

    The intensity is sasmodels' own, 1/cm: that of a volume fraction "scale" of particles, with sld and sld_solvent.
    """
    part = Part(mesh, "mesh")
    defaults = {name: p.default for name, p in inspect.signature(mesh).parameters.items()}
    wanting = [name for name, value in defaults.items() if value is inspect.Parameter.empty]
    if wanting:
        raise Error(f"mesh: '{wanting[0]}' has no default\n  help: SasView shows one: def mesh({wanting[0]}=10.0)")
    other = dict(units or {})
    angstrom = {name: 1.0 if name in other else 10.0 for name in part.names}  # of one in the mesh's unit
    rows: list[list[Any]] = [["sld", DENSITY, 4, [-np.inf, np.inf], "sld", "of the particle"],
                             ["sld_solvent", DENSITY, 1, [-np.inf, np.inf], "sld", "of what is around it"]]
    rows += [[name, other.get(name, LENGTH), defaults[name] * angstrom[name], [0 if name not in other else -np.inf, np.inf],
              "volume", ""] for name in part.names]
    models: dict[bytes, CurveModel] = {}

    def named(numbers: tuple[float, ...]) -> dict[str, float]:
        return {name: float(v) / angstrom[name] for name, v in zip(part.names, numbers)}

    def intensity(q: Numbers, sld: float, sld_solvent: float, *numbers: float) -> Numbers:
        """1e-4 contrast^2 <|F|^2>, with q in 1/Ang, |F|^2 in Ang^6: sasmodels divides by the volume."""
        own = np.ascontiguousarray(q, dtype=np.float64)
        model = models.get(own.tobytes())
        if model is None:
            if len(models) > 7:
                models.pop(next(iter(models)))
            model = models[own.tobytes()] = CurveModel(kernel, 10 * own, mesh, **options)
        return 1e-4 * (sld - sld_solvent) ** 2 * 1e6 * model(named(numbers))

    def form_volume(*numbers: float) -> float:
        """Ang^3"""
        return 1e3 * volume(mesh(**named(numbers)))

    intensity.vectorized = True  # type: ignore[attr-defined]
    return {"title": title or mesh.__name__, "description": title or mesh.__name__, "category": "shape:facet",
            "parameters": rows, "Iq": intensity, "form_volume": form_volume}
