#!/usr/bin/env python3
"""A table of atoms that facet reads, from an XYZ, PDB or mmCIF file.

    atoms.py molecule.pdb -o atoms.h5          or atoms.txt; HDF5 needs h5py

Columns place.x place.y place.z (nm; all formats have angstroms), Z, the number of the element, and what the kernel `atoms` reads: B of the
Debye-Waller factor (nm^2; of the file, --B where it has none) and a1 .. a5, c (electrons), b1 .. b5 (nm^2) of form_factors.txt beside this script.
A kernel with the record `struct Atom { vec3 place; real Z; };` reads the same table. Of places that exclude one another the first (A) is taken.
"""
import argparse
import re
import sys
from pathlib import Path

ELEMENTS = """H He Li Be B C N O F Ne Na Mg Al Si P S Cl Ar K Ca Sc Ti V Cr Mn Fe Co Ni Cu Zn Ga Ge As Se Br Kr Rb Sr Y Zr Nb Mo Tc Ru
Rh Pd Ag Cd In Sn Sb Te I Xe Cs Ba La Ce Pr Nd Pm Sm Eu Gd Tb Dy Ho Er Tm Yb Lu Hf Ta W Re Os Ir Pt Au Hg Tl Pb Bi Po At Rn Fr Ra
Ac Th Pa U Np Pu Am Cm Bk Cf Es Fm Md No Lr Rf Db Sg Bh Hs Mt Ds Rg Cn Nh Fl Mc Lv Ts Og""".split()
NUMBERS = {name.upper(): number for number, name in enumerate(ELEMENTS, 1)} | {"D": 1, "T": 1}
GAUSSIANS = "a1 a2 a3 a4 a5 c b1 b2 b3 b4 b5".split()
CIF_WORD = re.compile(r"""(?:^|\s)(?:#.*|(?P<q>['"])(?P<quoted>.*?)(?P=q)(?=\s|$)|(?P<word>[^\s#'"]\S*))""")


def number_of(word, where):
    if word.isdigit() and 0 < int(word) <= len(ELEMENTS):
        return int(word)
    if word.upper() not in NUMBERS:
        sys.exit(f"{where}: '{word}' is no element")
    return NUMBERS[word.upper()]


def read_xyz(lines, name):
    """The first of its frames: a count, a line for people, an atom a line."""
    try:
        count = int(lines[0])
    except ValueError:
        sys.exit(f"{name}:1: XYZ begins with the number of atoms")
    if len(lines) < count + 2:
        sys.exit(f"{name}: {count} atoms announced, {max(0, len(lines) - 2)} there")
    for n, line in enumerate(lines[2:count + 2], 3):
        words = line.split()
        try:
            yield number_of(words[0], f"{name}:{n}"), [float(w) for w in words[1:4]], None
        except (ValueError, IndexError):
            sys.exit(f"{name}:{n}: an atom is an element and x y z")


def read_pdb(lines, name):
    """ATOM and HETATM of the first model, by columns: wwPDB format 3.3."""
    for n, line in enumerate(lines, 1):
        if line.startswith("ENDMDL"):
            return
        if not line.startswith(("ATOM  ", "HETATM")) or line[16:17] not in (" ", "A"):
            continue
        element = line[76:78].strip() or line[12:14].strip(" 0123456789")
        try:
            b = line[60:66].strip()
            yield number_of(element, f"{name}:{n}"), [float(line[at:at + 8]) for at in (30, 38, 46)], float(b) if b else None
        except ValueError:
            sys.exit(f"{name}:{n}: x, y and z are in columns 31 to 54, B in 61 to 66")


def cif_words(lines):
    """(line number, word, whether it is a plain word and not a text in quotes or between semicolons): CIF 1.1."""
    text = False
    for n, line in enumerate(lines, 1):
        if line.startswith(";"):
            text = not text
            if text:
                yield n, line[1:], False
            continue
        for found in () if text else CIF_WORD.finditer(line):
            if found["word"] is not None or found["q"]:
                yield n, found["word"] or found["quoted"], found["word"] is not None


def atom_sites(lines):
    """(line number, { name: value }) of each row of the loop of _atom_site."""
    names, row, head = [], {}, False
    for n, word, plain in cif_words(lines):
        if plain and word.lower() == "loop_":
            names, row, head = [], {}, True
        elif plain and word.startswith("_"):
            names = [*names, word.lower()] if head else []
        elif plain and word.lower().startswith("data_"):
            names = []
        elif names and names[0].startswith("_atom_site."):
            head = False
            row[names[len(row)]] = word
            if len(row) == len(names):
                yield n, {name.partition(".")[2]: value for name, value in row.items()}
                row = {}
        else:
            head = False


def read_cif(lines, name):
    """The rows _atom_site of the first model: wwPDB's mmCIF."""
    if any("_atom_site_fract_x" in line for line in lines):
        sys.exit(f"{name}: its places are fractions of a cell: write the atoms of the whole crystallite as XYZ or mmCIF")
    first = None
    for n, site in atom_sites(lines):
        first = first or site.get("pdbx_pdb_model_num")
        if site.get("label_alt_id", ".") not in (".", "?", "A") or site.get("pdbx_pdb_model_num") != first:
            continue
        b = site.get("b_iso_or_equiv", "?")
        try:
            yield (number_of(site["type_symbol"], f"{name}:{n}"), [float(site[f"cartn_{x}"]) for x in "xyz"],
                   None if b in ".?" else float(b))
        except (KeyError, ValueError):
            sys.exit(f"{name}:{n}: an atom has _atom_site.type_symbol and _atom_site.Cartn_x, _y, _z")


def form_factors():
    """{ Z: the coefficients GAUSSIANS, b in nm^2 }."""
    known = {}
    for line in (Path(__file__).parent / "form_factors.txt").read_text().splitlines():
        if not line.startswith("#"):
            z, _, *values = line.split()
            known[int(z)] = [float(v) * (0.01 if k > 5 else 1) for k, v in enumerate(values)]
    return known


def table_of(atoms, b_of_others, name):
    """{ column: its values }."""
    known = form_factors()
    for z, _, _ in atoms:
        if z not in known:
            sys.exit(f"{name}: there is no form factor of {ELEMENTS[z - 1]} in form_factors.txt")
    columns = {f"place.{x}": [0.1 * place[k] for _, place, _ in atoms] for k, x in enumerate("xyz")}
    columns["Z"] = [z for z, _, _ in atoms]
    columns["B"] = [0.01 * (b_of_others if b is None else b) for _, _, b in atoms]
    return columns | {g: [known[z][k] for z, _, _ in atoms] for k, g in enumerate(GAUSSIANS)}


def write(columns, name):
    if name.lower().endswith((".h5", ".hdf5")):
        import h5py
        with h5py.File(name, "w") as file:
            for column, values in columns.items():
                file.create_dataset(column, data=values, dtype="f8")
        return
    with open(name, "w") as file:
        print(*columns, file=file)
        for row in zip(*columns.values()):
            print(*(f"{value:.10g}" for value in row), file=file)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("molecule", help=".xyz, .pdb or .cif")
    parser.add_argument("-o", "--output", required=True, help=".h5, or a text")
    parser.add_argument("--B", type=float, default=0, help="of atoms that have none, angstrom^2 (0)")
    asked = parser.parse_args()
    with open(asked.molecule) as file:
        lines = file.read().splitlines()
    readers = {".pdb": read_pdb, ".ent": read_pdb, ".cif": read_cif, ".mmcif": read_cif}
    atoms = list(readers.get(Path(asked.molecule).suffix.lower(), read_xyz)(lines or [""], asked.molecule))
    if not atoms:
        sys.exit(f"{asked.molecule}: there are no atoms in it")
    write(table_of(atoms, asked.B, asked.molecule), asked.output)
    print(f"{asked.output}: {len(atoms)} atoms")


if __name__ == "__main__":
    main()
