"""Materials by name: refractive indices for X-rays and neutrons."""

from __future__ import annotations

from typing import Any

from . import _core
from .arguments import number, word
from .errors import Error


def material(name: str, *, energy: float | str | None = None, wavelength: float | str | None = None,
             mass_density: float | str | None = None, probe: str = "x-rays") -> _core.Material:
    """delta, beta and the scattering length density of a material, from tables (docs/experiments.md).

    Args:
        name: an element, "Au"; a name, "silica"; or a formula, "Fe3O4", "D2O", "Ni[58]".
        energy: of the beam, eV or "8 keV"; or
        wavelength: nm or "1.2 A".
        mass_density: g/cm^3; needed for a formula, else the table's.
        probe: "x-rays" or "neutrons".

    >>> round(material("Si", energy=10000.0).delta, 12)
    4.885744e-06

    Raises Error for what no table knows, with the nearest name.
    """
    if word(probe, "probe") not in _core.probes():
        raise Error(f"probe: unknown '{probe}'\n  help: {_core.suggestion(probe, _core.probes())}")
    if (energy is None) == (wavelength is None):
        raise Error('material: a beam has an energy or a wavelength: one of them\n  help: energy=9998.7, eV, or wavelength="1.24 A"')
    nm = _above0(wavelength, "wavelength", "nm") if energy is None else _core.wavelength_of(_above0(energy, "energy", "eV"), probe)
    density = None if mass_density is None else _above0(mass_density, "mass_density", "g/cm^3")
    return _core.material_of(word(name, "name"), density, nm, probe)


def _above0(value: Any, what: str, unit: str) -> float:
    found = _core.parse_quantity(value, unit) if isinstance(value, str) else number(value, what)
    if not found > 0:
        raise Error(f"{what}: is {found}\n  help: give a number above 0, in {unit}")
    return found
