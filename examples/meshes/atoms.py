#!/usr/bin/env python3
"""A table of atoms that facet reads, from an XYZ or a PDB file.

    atoms.py molecule.xyz -o atoms.txt

Columns place.x place.y place.z (nm; both formats have angstroms) and Z, the number of the element. For a kernel with the
record `struct Atom { vec3 place; real Z; };`.
"""
import argparse
import sys

ELEMENTS = """H He Li Be B C N O F Ne Na Mg Al Si P S Cl Ar K Ca Sc Ti V Cr Mn Fe Co Ni Cu Zn Ga Ge As Se Br Kr Rb Sr Y Zr Nb Mo Tc Ru
Rh Pd Ag Cd In Sn Sb Te I Xe Cs Ba La Ce Pr Nd Pm Sm Eu Gd Tb Dy Ho Er Tm Yb Lu Hf Ta W Re Os Ir Pt Au Hg Tl Pb Bi Po At Rn Fr Ra
Ac Th Pa U Np Pu Am Cm Bk Cf Es Fm Md No Lr Rf Db Sg Bh Hs Mt Ds Rg Cn Nh Fl Mc Lv Ts Og""".split()
NUMBERS = {name.upper(): number for number, name in enumerate(ELEMENTS, 1)} | {"D": 1, "T": 1}


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
            yield number_of(words[0], f"{name}:{n}"), [float(w) for w in words[1:4]]
        except (ValueError, IndexError):
            sys.exit(f"{name}:{n}: an atom is an element and x y z")


def read_pdb(lines, name):
    """ATOM and HETATM of the first model, by columns: wwPDB format 3.3. Of places that exclude one another the first (A)."""
    for n, line in enumerate(lines, 1):
        if line.startswith("ENDMDL"):
            return
        if not line.startswith(("ATOM  ", "HETATM")) or line[16:17] not in (" ", "A"):
            continue
        element = line[76:78].strip() or line[12:14].strip(" 0123456789")
        try:
            yield number_of(element, f"{name}:{n}"), [float(line[at:at + 8]) for at in (30, 38, 46)]
        except ValueError:
            sys.exit(f"{name}:{n}: x, y and z are in columns 31 to 54")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("molecule", help=".xyz or .pdb")
    parser.add_argument("-o", "--output", required=True)
    asked = parser.parse_args()
    with open(asked.molecule) as file:
        lines = file.read().splitlines()
    pdb = asked.molecule.lower().endswith((".pdb", ".ent"))
    atoms = list((read_pdb if pdb else read_xyz)(lines or [""], asked.molecule))
    if not atoms:
        sys.exit(f"{asked.molecule}: there are no atoms in it")
    with open(asked.output, "w") as file:
        print("place.x place.y place.z Z", file=file)
        for z, place in atoms:
            print(*(f"{0.1 * x:.10g}" for x in place), z, file=file)
    print(f"{asked.output}: {len(atoms)} atoms")


if __name__ == "__main__":
    main()
