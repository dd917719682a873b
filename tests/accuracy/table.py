#!/usr/bin/env python3
"""The accuracy table: runs its cells, fails on a miss, and with --write puts the table in docs/accuracy.md.

    table.py FACET_ACCURACY LIBRARIES [--full] [--write] [--from FILE]

Without --full only the few cells that the test runs. --from reads the cells of an earlier run.
"""
import argparse
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

DOCUMENT = Path(__file__).resolve().parents[2] / "docs/accuracy.md"
BEGIN, END = "<!-- begin: tests/accuracy/table.py -->", "<!-- end -->"
KEYS = ("table", "kernel", "algorithm", "accuracy", "extent", "q", "exponent")
NOTES = "abcdefghijklmnopqrstuvwxyz"


def read(text):
    cells = []
    for line in text.splitlines():
        part = line.split("\t")
        cell = dict(zip(KEYS, part))
        rest = part[len(KEYS):]
        if rest[0] == "run":
            cell |= dict(zip(("ran", "judge", "extended", "bound", "state"), rest[1:]))
        else:
            cell |= {"state": "refused", "why": rest[1]}
        cells.append(cell)
    return cells


def short(number):
    """2.3e-08 as 2e-8."""
    mantissa, exponent = f"{float(number):.0e}".split("e")
    return f"{mantissa}e{int(exponent)}"


def shown(cell, notes):
    if cell is None:
        return "-"
    if cell["state"] == "refused":
        if cell["why"] not in notes:
            notes.append(cell["why"])
        return f"({NOTES[notes.index(cell['why'])]})"
    error = short(max(float(cell["judge"]), float(cell["extended"])))
    return {"met": error, "not verifiable": error + "*", "missed": f"**{error}**"}[cell["state"]]


def table(cells, name, across, head):
    """One table an accuracy: rows kernel and algorithm, columns the values of `across`, in a cell one
    error for each extent."""
    cells = [c for c in cells if c["table"] == name]
    values = list(dict.fromkeys(c[across] for c in cells))
    extents = list(dict.fromkeys(c["extent"] for c in cells))
    by = {(c["accuracy"], c["kernel"], c["algorithm"], c[across], c["extent"]): c for c in cells}
    lines, notes = [], []
    for accuracy in dict.fromkeys(c["accuracy"] for c in cells):
        lines += ["", f"Asked for: {accuracy}", "",
                  "| kernel | algorithm | " + " | ".join(f"{head} {v}" for v in values) + " |",
                  "| --- | --- |" + " --- |" * len(values)]
        for kernel, algorithm in dict.fromkeys((c["kernel"], c["algorithm"]) for c in cells):
            row = [" ".join(shown(by.get((accuracy, kernel, algorithm, v, e)), notes) for e in extents)
                   for v in values]
            lines.append(f"| {kernel} | {algorithm} | " + " | ".join(row) + " |")
    if notes:
        lines += [""] + [f"({NOTES[i]}) {why}  " for i, why in enumerate(notes)]
    return "\n".join(lines)


def document(cells):
    counts = defaultdict(int)
    for cell in cells:
        counts[cell["state"]] += 1
    parts = [
        f"{len(cells)} cells: {counts['met']} met, {counts['not verifiable']} not verifiable in double (*), "
        f"{counts['refused']} refused, {counts['missed']} missed.",
        "### Real q, product grids\n"
        "In each cell the errors for meshes of extent 10, 100 and 1000 nm; |q| in nm^-1."
        + table(cells, "real", "q", "q"),
        "### All |q| in one grid\n"
        "Irregular axes, |q| from 1e-8 to 5 nm^-1: the small q, where `finish` amplifies, are where |F| is largest."
        + table(cells, "wide", "q", "q to"),
        "### Complex q.z\n"
        "In the head the largest Im q.z times the height of the mesh; |q| to 20 / extent; errors judged by bands of Im q.z."
        + table(cells, "damped", "exponent", "Im"),
        "### A curved detector: lists of points\n"
        "|q| at the corners in nm^-1; nufft is of type 3. Points are no product of axes, so there is no separable sum."
        + table([c for c in cells if c["algorithm"] != "separable"], "detector", "q", "q")]
    return "\n\n".join(parts)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("libraries")
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--from", dest="file")
    args = parser.parse_args()
    if args.file:
        text = Path(args.file).read_text()
    else:
        command = [args.program, args.libraries] + (["--full"] if args.full else [])
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
        text = done.stdout
        if done.returncode not in (0, 1):
            sys.exit(f"{args.program} ended with {done.returncode}")
    cells = read(text)
    missed = [c for c in cells if c["state"] == "missed"]
    for cell in missed:
        print("missed:", " ".join(f"{k} {v}" for k, v in cell.items()))
    ran = sum(c["state"] != "refused" for c in cells)
    print(f"{len(cells)} cells, {ran} ran, {len(missed)} missed")
    if args.write:
        before, _, rest = DOCUMENT.read_text().partition(BEGIN)
        after = rest.partition(END)[2]
        DOCUMENT.write_text(f"{before}{BEGIN}\n{document(cells)}\n{END}{after}")
    # A table without runs of every algorithm has tested nothing.
    if not args.file:
        ran = {c["algorithm"] for c in cells if c["state"] != "refused"}
        for algorithm in ("direct", "separable", "nufft"):
            if algorithm not in ran:
                print(f"no cell ran {algorithm}: {next(c['why'] for c in cells if c['algorithm'] == algorithm)}")
                return 1
    return bool(missed)


if __name__ == "__main__":
    sys.exit(main())
