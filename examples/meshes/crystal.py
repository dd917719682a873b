# crystal.py - a crystallite of one element as XYZ: places of a cubic lattice within a truncated octahedron.
#   crystal.py OUT.xyz [--element Au] [--lattice fcc] [--a 4.0782] [--edge 60] [--cut 45]
# Lengths in angstrom; a is that of gold at 25 C. The body is |x|, |y|, |z| <= EDGE / 2 and |x| + |y| + |z| <= 3 CUT / 2: without {111} faces, a
# cube, where CUT is EDGE or more.
import argparse
import itertools

BASES = {"sc": [(0, 0, 0)],
         "bcc": [(0, 0, 0), (0.5, 0.5, 0.5)],
         "fcc": [(0, 0, 0), (0, 0.5, 0.5), (0.5, 0, 0.5), (0.5, 0.5, 0)]}


def places(lattice, a, edge, cut):
    n = int(edge / 2 / a) + 1
    for cell in itertools.product(range(-n, n + 1), repeat=3):
        for offset in BASES[lattice]:
            place = [a * (c + o) for c, o in zip(cell, offset)]
            if max(map(abs, place)) <= edge / 2 and sum(map(abs, place)) <= 1.5 * cut:
                yield place


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("output")
    parser.add_argument("--element", default="Au")
    parser.add_argument("--lattice", choices=BASES, default="fcc")
    parser.add_argument("--a", type=float, default=4.0782)
    parser.add_argument("--edge", type=float, default=60)
    parser.add_argument("--cut", type=float, default=45)
    args = parser.parse_args()
    atoms = list(places(args.lattice, args.a, args.edge, args.cut))
    with open(args.output, "w") as file:
        print(len(atoms), f"{args.lattice} {args.element}", sep="\n", file=file)
        for place in atoms:
            print(args.element, *(f"{x:.4f}" for x in place), file=file)
    print(f"{args.output}: {len(atoms)} atoms")


main()
