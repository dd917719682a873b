#!/usr/bin/env python3
"""A table of atoms that facet reads, from an XYZ, PDB or mmCIF file.

    atoms.py molecule.pdb -o atoms.h5          or atoms.txt; HDF5 needs h5py

Columns place.x place.y place.z (nm; all formats have angstroms), Z, the number of the element, and what the kernel `atoms` reads: B of the
Debye-Waller factor (nm^2; of the file, --B where it has none) and a1 .. a5, c (electrons), b1 .. b5 (nm^2) of form_factors.txt beside this script.
Z, a and c are times the occupancy: places that exclude one another are all there, or those of one letter, --place A. PDB and mmCIF need gemmi.
A kernel with the record `struct Atom { vec3 place; real Z; };` reads the same table.

    atoms.py protein.pdb --solution -o protein.h5

is the table of examples/protein/solution.cpp: hydration.py beside this script adds hydrogens, what is displaced, and bound water. It needs SciPy.
"""
import argparse
import gzip
import math
import re
import sys
from pathlib import Path

try:
    import gemmi
except ImportError:
    gemmi = None

ELEMENTS = """H He Li Be B C N O F Ne Na Mg Al Si P S Cl Ar K Ca Sc Ti V Cr Mn Fe Co Ni Cu Zn Ga Ge As Se Br Kr Rb Sr Y Zr Nb Mo Tc Ru
Rh Pd Ag Cd In Sn Sb Te I Xe Cs Ba La Ce Pr Nd Pm Sm Eu Gd Tb Dy Ho Er Tm Yb Lu Hf Ta W Re Os Ir Pt Au Hg Tl Pb Bi Po At Rn Fr Ra
Ac Th Pa U Np Pu Am Cm Bk Cf Es Fm Md No Lr Rf Db Sg Bh Hs Mt Ds Rg Cn Nh Fl Mc Lv Ts Og""".split()
NUMBERS = {name.upper(): number for number, name in enumerate(ELEMENTS, 1)} | {"D": 1, "T": 1}
GAUSSIANS = "a1 a2 a3 a4 a5 c b1 b2 b3 b4 b5".split()
UNKNOWN_B = -99.99  # no such number is measured


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
            yield number_of(words[0], f"{name}:{n}"), [float(words[1]), float(words[2]), float(words[3])], None, 1, "", (), ""
        except (ValueError, IndexError):
            sys.exit(f"{name}:{n}: an atom is an element and x y z")


def elements_by_letters(letters):
    """The elements that a name without digits may begin with: of one letter, of two."""
    return [e for e in (letters[:1], letters[:2] if len(letters) > 1 else "") if e in NUMBERS]


def element_of_name(name, residue, aligned):
    """Of an atom without element columns, by columns 13 to 16 and its residue; None where more than one may be meant.

    Names of polymers are one letter and a place, whatever the column; elsewhere two letters in columns 13 and 14 are an element of two, if the
    file is `aligned` as the format has it.
    """
    letters, kind = name.strip(" 0123456789").upper(), gemmi.find_tabulated_residue(residue)
    one, plain = letters[:1], re.sub("[^A-Z].*", "", letters)
    polymer = kind.is_amino_acid() or kind.is_nucleic_acid()
    if residue in ("MSE", "SEC") and plain == "SE":
        return "SE"
    if polymer and (kind.is_standard() or re.fullmatch("[CHNOSPD]([ABGDEZHX]?|XT)", plain)) or kind.is_water():
        return one if one in tuple("HDCNOPS") else None
    if plain == re.sub("[^A-Z]", "", residue.upper()) and plain in NUMBERS:
        return plain  # an ion
    found = elements_by_letters(plain)
    if len(found) < 2:
        return found[0] if found else None
    if name[0] in " 0123456789":
        return one if one in tuple("CHNOPS") else None
    if len(name.strip()) == 4:
        return one if one == "H" else None
    return found[1] if aligned else None


def filled(lines, name):
    """The atoms of a PDB file as gemmi takes them: it reads blanks and slips as zeros, so that each number is looked at first."""
    atoms = [line for line in lines if line.startswith(("ATOM  ", "HETATM"))]
    aligned = not any(line[12:13].isalpha() and len(elements_by_letters(re.sub("[^A-Z].*", "", line[12:16].upper()))) == 1
                      and line[12:14].strip().upper() not in NUMBERS and len(line[12:16].strip()) < 4 for line in atoms)
    for n, line in enumerate(lines, 1):
        if not line.startswith(("ATOM  ", "HETATM")):
            if line.startswith(("MODEL", "ENDMDL", "TER", "END")):
                yield line
            continue
        line = f"{line:80}"
        try:
            number = [float(line[at:to]) for at, to in ((30, 38), (38, 46), (46, 54))]
            occupancy, b = (float(field) if (field := line[at:at + 6]).strip() else None for at in (54, 60))
        except ValueError:
            sys.exit(f"{name}:{n}: x, y and z are in columns 31 to 54, the occupancy in 55 to 60, B in 61 to 66")
        if not all(map(math.isfinite, (*number, occupancy or 0, b or 0))) or not 0 <= (1 if occupancy is None else occupancy) <= 1:
            sys.exit(f"{name}:{n}: places and B are numbers, and occupancies are from 0 to 1")
        element = line[76:78].strip(" 0123456789+-")
        if element:
            number_of(element, f"{name}:{n}")
        else:
            element = element_of_name(line[12:16], line[17:20].strip(), aligned)
        if element is None:
            sys.exit(f"{name}:{n}: '{line[12:16].strip()}' of {line[17:20].strip() or 'no residue'} may be more than one element: "
                     "write the element in columns 77 and 78")
        yield (f"{line[:54]}{1 if occupancy is None else occupancy:6.2f}{UNKNOWN_B if b is None else b:6.2f}{line[66:76]}{element.upper():>2}  ")


def read_pdb(lines, name):
    """ATOM and HETATM of the first model: wwPDB format 3.3."""
    for model in list(gemmi.read_pdb_string("\n".join(filled(lines, name)) + "\n"))[:1]:
        for chain, residue, atom in ((each.chain, each.residue, each.atom) for each in model.all()):
            yield (number_of(atom.element.name, name), atom.pos.tolist(), None if abs(atom.b_iso - UNKNOWN_B) < 1e-3 else atom.b_iso, atom.occ,
                   atom.altloc.strip("\0"), (chain.name, str(residue.seqid), atom.name), residue.name)


def read_cif(lines, name):
    """The rows _atom_site of the first model: wwPDB's mmCIF."""
    try:
        block = gemmi.cif.read_string("\n".join(lines) + "\n")[0]
    except (ValueError, RuntimeError, IndexError) as failure:
        sys.exit(f"{name}: {str(failure).removeprefix('string:')}")
    if block.find_loop("_atom_site_fract_x") or block.find_value("_atom_site_fract_x"):
        sys.exit(f"{name}: its places are fractions of a cell: write the atoms of the whole crystallite as XYZ or mmCIF")
    tags = ["type_symbol", *(f"Cartn_{x}" for x in "xyz")]
    more = ["occupancy", "B_iso_or_equiv", "label_alt_id", "pdbx_PDB_model_num", "auth_asym_id", "auth_seq_id", "pdbx_PDB_ins_code",
            "label_atom_id", "label_comp_id"]
    table, first = block.find("_atom_site.", tags + [f"?{tag}" for tag in more]), None
    if not table and block.find_mmcif_category("_atom_site."):
        sys.exit(f"{name}: an atom has _atom_site.type_symbol and _atom_site.Cartn_x, _y, _z")
    for n, row in enumerate(table, 1):
        word, x, y, z, occupancy, b, place, model, *key, residue = (
            "" if not row.has(k) or gemmi.cif.is_null(row[k]) else row.str(k) for k in range(len(tags + more)))
        first = model if first is None else first
        if model != first:
            continue
        try:
            found = [float(x), float(y), float(z)], float(b) if b else None, float(occupancy or 1)
        except ValueError:
            sys.exit(f"{name}: atom {n}: its place, occupancy and B are numbers")
        if not all(map(math.isfinite, (*found[0], found[1] or 0))) or not 0 <= found[2] <= 1:
            sys.exit(f"{name}: atom {n}: places and B are numbers, and occupancies are from 0 to 1")
        yield number_of(word, f"{name}: atom {n}"), *found, place, tuple(key), residue


def chosen(atoms, wanted, name):
    """The atoms to be summed: of places that exclude one another all, by their occupancies, or those of one letter."""
    atoms, sums = list(atoms), {}
    for _, _, _, occupancy, place, key, _ in atoms:
        if place:
            sums.setdefault(key, {}).setdefault(place, 0)
            sums[key][place] += occupancy
    if wanted:
        letters = {place for places in sums.values() for place in places}
        if wanted not in letters:
            sys.exit(f"{name}: no atom has the place '{wanted}'; there are: {', '.join(sorted(letters)) or 'none'}")
        return [(z, at, b, occupancy if not place else min(1, sum(sums[key].values())), place, key, residue)
                for z, at, b, occupancy, place, key, residue in atoms if place in ("", wanted)]
    for key, places in sums.items():
        if sum(places.values()) > 1.015:
            sys.exit(f"{name}: the places {', '.join(places)} of {' '.join(key)} have occupancies of {sum(places.values()):.2f} together: "
                     "mend the file, or take those of one letter, --place A")
    return atoms


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
    for z, *_ in atoms:
        if z not in known:
            sys.exit(f"{name}: there is no form factor of {ELEMENTS[z - 1]} in form_factors.txt")
    columns = {f"place.{x}": [0.1 * place[k] for _, place, *_ in atoms] for k, x in enumerate("xyz")}
    columns["Z"] = [z * occupancy for z, _, _, occupancy, *_ in atoms]
    columns["B"] = [0.01 * (b_of_others if b is None else b) for _, _, b, *_ in atoms]
    return columns | {g: [known[z][k] * (occupancy if k <= 5 else 1) for z, _, _, occupancy, *_ in atoms] for k, g in enumerate(GAUSSIANS)}


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
    parser.add_argument("molecule", help=".xyz, .pdb or .cif; also .gz")
    parser.add_argument("-o", "--output", required=True, help=".h5, or a text")
    parser.add_argument("--B", type=float, default=0, help="of atoms that have none, angstrom^2 (0)")
    parser.add_argument("--place", default="", help="the letter of places that exclude one another (all, by their occupancies)")
    parser.add_argument("--solution", action="store_true", help="a protein in water: hydrogens, displaced volumes, bound water")
    asked = parser.parse_args()
    molecule = Path(asked.molecule)
    packed = molecule.suffix.lower() == ".gz"
    try:
        with (gzip.open if packed else open)(molecule, "rt", encoding="utf-8-sig", errors="replace") as file:
            lines = file.read().splitlines()
    except (OSError, EOFError) as failure:
        sys.exit(f"{molecule}: cannot be read: {failure}")
    readers = {".pdb": read_pdb, ".ent": read_pdb, ".cif": read_cif, ".mmcif": read_cif}
    read = readers.get(Path(molecule.stem if packed else molecule).suffix.lower(), read_xyz)
    if (read is not read_xyz or asked.solution) and gemmi is None:
        sys.exit(f"{molecule}: PDB and mmCIF are read by gemmi, which has the sizes of atoms, too: pip install gemmi")
    atoms = chosen(read(lines or [""], asked.molecule), asked.place, asked.molecule)
    if not atoms:
        sys.exit(f"{asked.molecule}: there are no atoms in it")
    more = {}
    if asked.solution:
        import hydration
        atoms, more = hydration.in_solution(atoms, asked.molecule)
    write(table_of(atoms, asked.B, asked.molecule) | more, asked.output)
    if asked.solution:
        print(f"{asked.output}: {hydration.told(atoms, more)}")
        return
    part = sum(occupancy < 1 for _, _, _, occupancy, *_ in atoms)
    print(f"{asked.output}: {len(atoms)} atoms" + (f", {part} of them there in part" if part else ""))


if __name__ == "__main__":
    main()
