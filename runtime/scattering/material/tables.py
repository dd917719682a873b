"""Writes the tables of materials beside it from two packages of PyPI: xraydb 4.5.8, periodictable 2.1.0.

    pip install --no-deps xraydb==4.5.8 periodictable==2.1.0; python3 tables.py

f1 and f2: C. T. Chantler, J. Phys. Chem. Ref. Data 24 (1995) 71, of NIST, as xraydb has them (M. Newville; MIT): f1 is f'. Names,
formulas and densities: xraydb's materials.dat (B. Ravel). Neutrons: periodictable (P. Kienzle; public domain), of H. Rauch,
W. Waschkowski, Neutron Data Booklet (2003).
"""
import json
import sqlite3
import textwrap
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import periodictable

HERE = Path(__file__).parent
FROM, TO = 1000, 100_000  # eV
XRAYDB = Path(find_spec("xraydb").origin).parent
database = sqlite3.connect(XRAYDB / "xraydb.sqlite")


def scattering_factors():
    """A row `0,Z,0` for each element, then energy (eV), f1, f2 for the energies of the table and those that splines need."""
    halves = {1: [], 2: []}
    for number, *columns in database.execute("select id, energy, f1, f2 from Chantler order by id"):
        energy, f1, f2 = (np.array(json.loads(text)) for text in columns)
        used = slice(np.searchsorted(energy, FROM) - 4, np.searchsorted(energy, TO) + 4)
        halves[1 if number <= 46 else 2] += [f"0,{number},0,", *(
            f"{e:.10g},{round(a, 9):.12g},{b:.7g}," for e, a, b in zip(energy[used], f1[used], f2[used]))]
    for half, rows in halves.items():
        (HERE / f"chantler_{half}.csv").write_text("\n".join(rows) + "\n")


def elements():
    rows = [f'FACET_ELEMENT("{symbol}", {mass}, {density})'
            for symbol, mass, density in database.execute("select element, molar_mass, density from elements where atomic_number < 93")]
    write("elements.def", "elements by their number, as xraydb has them", "molar mass (g), density (g/cm^3)", "ELEMENT", rows)


def nuclides():
    """Natural elements (isotope 0) and their isotopes."""
    rows = []
    for element in periodictable.elements:
        for isotope in [0, *element.isotopes]:
            one = element[isotope] if isotope else element
            if element.number and one.neutron is not None and one.neutron.has_sld():
                absorbed = -1 if one.neutron.is_energy_dependent else one.neutron.absorption or 0
                rows.append(f'FACET_NUCLIDE("{element.symbol}", {isotope}, {one.mass}, {one.neutron.b_c}, {absorbed})')
    write("nuclides.def", "isotopes (0: the natural mixture), as periodictable has them",
          "molar mass (g), bound coherent length (fm), absorption at 2200 m/s (barn; -1: resonant)", "NUCLIDE", rows)


def materials():
    rows = []
    for line in (XRAYDB / "materials.dat").read_text().splitlines():
        if "|" in line and not line.startswith("#"):
            name, density, _, formula = (part.strip() for part in line.split("|"))
            formula = '"\n               "'.join(textwrap.wrap(formula.replace(" ", ""), 70))
            rows.append(f'FACET_MATERIAL("{name}", "{formula}", {float(density)})')
    write("names.def", "materials by name, as xraydb has them", "formula, density (g/cm^3)", "MATERIAL", rows)


def write(name, what, columns, macro, rows):
    (HERE / name).write_text("\n".join([f"// {name} - {what}. Written by tables.py.", f"//   {columns}", *rows, f"#undef FACET_{macro}"]) + "\n")


for table in (scattering_factors, elements, nuclides, materials):
    table()
