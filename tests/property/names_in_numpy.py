"""What an experiment says by words, as numbers, by docs/experiments.md: materials by xraydb and periodictable, numbers with units."""
import copy
import math
import re

import numpy as np

HC = 1239.841984332  # eV nm
SIZES = {"nm": {"nm": 1, "A": 0.1, "um": 1e3, "mm": 1e6, "m": 1e9}, "m": {"m": 1, "mm": 1e-3, "um": 1e-6, "nm": 1e-9},
         "eV": {"eV": 1, "keV": 1e3, "meV": 1e-3}, "deg": {"deg": 1, "rad": 180 / math.pi, "mrad": 0.18 / math.pi},
         "rad": {"rad": 1, "deg": math.pi / 180, "mrad": 1e-3}, "nm^-1": {"1/nm": 1, "1/A": 10}, "g/cm^3": {"g/cm^3": 1, "kg/m^3": 1e-3}}
#: the unit of a key
UNITS = {"wavelength": "nm", "thickness": "nm", "roughness": "nm", "z": "nm", "position": "nm", "energy": "eV", "alpha_i": "deg", "euler": "deg",
         "sigma": "deg", "distance": "m", "poni1": "m", "poni2": "m", "pixel_size": "m", "rotation": "rad", "mass_density": "g/cm^3"}


def number(value, unit):
    """A number, a text with a unit, or a list of such."""
    if isinstance(value, list):
        return [number(one, unit) for one in value]
    found = re.fullmatch(r"([-+\d.e]+(?<=[\d.])) ?(\S+)", value) if isinstance(value, str) else None
    return float(found[1]) * SIZES[unit][found[2]] if found else value


def index(name, mass_density, wavelength, neutrons):
    """(delta, beta)."""
    if neutrons:
        import periodictable
        real, imaginary, _ = periodictable.neutron_sld(name, density=mass_density, wavelength=10 * wavelength)
        return tuple(wavelength ** 2 / (2 * math.pi) * 1e-4 * sld for sld in (real, imaginary))
    import xraydb
    return xraydb.xray_delta_beta(name, mass_density, HC / wavelength)[:2]


def plain(experiment):
    """The experiment with numbers alone."""
    made = copy.deepcopy(experiment)

    def walk(table):
        for key, value in table.items():
            for one in value if isinstance(value, list) else [value]:
                if isinstance(one, dict):
                    walk(one)
            if key in UNITS:
                table[key] = number(value, UNITS[key])

    walk(made)
    beam = made.get("beam", {})
    neutrons = beam.pop("probe", "") == "neutrons"
    if neutrons and "energy" in beam:
        from scipy.constants import e, h, m_n
        beam["wavelength"] = 1e9 * h / np.sqrt(2 * m_n * e * beam.pop("energy"))
    wavelength = beam.get("wavelength") or HC / beam["energy"] if beam else None
    for one in [*made.get("sample", {}).get("layers", []), *made["particle"]]:
        if "material" in one:
            delta, beta = index(one.pop("material"), one.pop("mass_density"), wavelength, neutrons)
            one.setdefault("delta", float(delta))
            one.setdefault("beta", float(beta))
    return made
