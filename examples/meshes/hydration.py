"""A protein in water as a table of sites: its atoms with hydrogens, the volume each displaces, and water bound at its surface.

Volumes of atoms after R. D. B. Fraser, T. P. MacRae, E. Suzuki, J. Appl. Cryst. 11 (1978) 693. The surface is that which a ball of the size of
water rolls over (A. Shrake, J. A. Rupley, J. Mol. Biol. 79 (1973) 351).
"""
import sys

import gemmi
import numpy as np

DISPLACED = {1: 5.15, 6: 16.44, 7: 2.49, 8: 9.13, 15: 5.73, 16: 19.86}  # angstrom^3
PROBE, THICKNESS = 1.4, 3.0  # angstrom: radius of water, and of what is bound the thickness
POINTS = 200  # of an atom's ball

# Hydrogens of a residue's atoms beside those of the backbone, N 1 and CA 1, at pH 7.
HYDROGENS = {residue: {name: int(n) for name, n in (word.split(":") for word in words.split())} for residue, words in {
    "ALA": "CB:3", "ARG": "CB:2 CG:2 CD:2 NE:1 NH1:2 NH2:2", "ASN": "CB:2 ND2:2", "ASP": "CB:2", "CYS": "CB:2 SG:1", "GLN": "CB:2 CG:2 NE2:2",
    "GLU": "CB:2 CG:2", "GLY": "CA:2", "HIS": "CB:2 ND1:1 CD2:1 CE1:1", "ILE": "CB:1 CG1:2 CG2:3 CD1:3", "LEU": "CB:2 CG:1 CD1:3 CD2:3",
    "LYS": "CB:2 CG:2 CD:2 CE:2 NZ:3", "MET": "CB:2 CG:2 CE:3", "MSE": "CB:2 CG:2 CE:3", "PHE": "CB:2 CD1:1 CD2:1 CE1:1 CE2:1 CZ:1",
    "PRO": "N:0 CB:2 CG:2 CD:2", "SER": "CB:2 OG:1", "THR": "CB:1 OG1:1 CG2:3", "TRP": "CB:2 CD1:1 NE1:1 CE3:1 CZ2:1 CZ3:1 CH2:1",
    "TYR": "CB:2 CD1:1 CD2:1 CE1:1 CE2:1 OH:1", "VAL": "CB:1 CG1:3 CG2:3"}.items()}
BOND = {6: 1.09, 7: 1.01, 8: 0.96, 16: 1.34}  # angstrom, to a hydrogen


def hydrogens_of(atom, residue, name):
    if residue not in HYDROGENS:
        sys.exit(f"{name}: atom {atom} of {residue or 'no residue'}: its hydrogens are not known: write them into the file (reduce, pdb2pqr), or "
                 "take the residue out")
    return HYDROGENS[residue].get(atom, {"N": 1, "CA": 1}.get(atom, 0))


def with_hydrogens(atoms, name):
    """Hydrogens are at the atoms they are bound to, blurred by the length of the bond."""
    if any(z == 1 for z, *_ in atoms):
        return atoms
    hydrogens = [(1, place, 8 * np.pi**2 / 3 * BOND[z]**2, occupancy * n, letter, key, residue)
                 for z, place, _, occupancy, letter, key, residue in atoms if (n := hydrogens_of(key[-1] if key else "?", residue, name))]
    return atoms + hydrogens


def ball():
    """Points of the unit sphere, each of as much of it: a golden spiral."""
    k = np.arange(POINTS)
    z, angle = 1 - (2 * k + 1) / POINTS, np.pi * (3 - 5**0.5) * k
    return np.stack([np.sqrt(1 - z * z) * np.cos(angle), np.sqrt(1 - z * z) * np.sin(angle), z], 1)


def bound_water(places, radii):
    """Of each atom with a surface: where its water is, the mean square of its extent, and how much surface: angstrom, ^2, ^2."""
    try:
        from scipy.spatial import cKDTree
    except ImportError:
        sys.exit("--solution needs SciPy: pip install scipy")
    tree, reach, points = cKDTree(places), radii + PROBE, ball()
    for i, near in enumerate(tree.query_ball_point(places, reach + reach.max())):
        others = np.array([j for j in near if j != i and np.linalg.norm(places[j] - places[i]) < reach[i] + reach[j]], int)
        at = places[i] + reach[i] * points
        apart = ((at[:, None] - places[others])**2).sum(2) >= reach[others]**2
        free = at[apart.all(1)]
        if len(free):
            middle = free.mean(0)
            yield middle, ((free - middle)**2).sum(1).mean(), 4 * np.pi * reach[i]**2 * len(free) / POINTS


def in_solution(atoms, name):
    """Atoms, hydrogens and bound water, and the columns `volume` and `shell` (nm^3). B of the file is of a crystal, and left out."""
    atoms = [(z, place, 0, *rest, residue) for z, place, _, *rest, residue in atoms if not gemmi.find_tabulated_residue(residue).is_water()]
    for z in sorted({z for z, *_ in atoms} - set(DISPLACED)):
        sys.exit(f"{name}: how much water {gemmi.Element(z).name} displaces is not known: known are H, C, N, O, P, S")
    heavy = [atom for atom in atoms if atom[0] > 1]
    atoms = with_hydrogens(atoms, name)
    places, radii = np.array([place for _, place, *_ in heavy]), np.array([gemmi.Element(z).vdw_r for z, *_ in heavy])
    water = list(bound_water(places, radii))
    volume = [1e-3 * DISPLACED[z] * occupancy for z, _, _, occupancy, *_ in atoms]
    sites = atoms + [(8, middle.tolist(), 8 * np.pi**2 / 3 * square, 0, "", (), "") for middle, square, _ in water]
    shell = [1e-3 * THICKNESS * area for *_, area in water]
    return sites, {"volume": volume + [0] * len(water), "shell": [0] * len(atoms) + shell}


def told(sites, columns):
    volume, shell = (np.array(columns[name]) for name in ("volume", "shell"))
    return (f"{np.sum(volume > 0)} atoms that displace {volume.sum():.4g} nm^3, {sum(z * n for z, _, _, n, *_ in sites):.0f} electrons; "
            f"{np.sum(shell > 0)} places of bound water, {shell.sum():.4g} nm^3")
