#!/usr/bin/env python3
"""The accuracy table: runs its cells, fails on a miss; with --write keeps them in cells.csv and their table in docs/accuracy.md.

    table.py FACET_ACCURACY LIBRARIES [--full] [--write] [--from FILE]

Without --full only the few cells that the test runs. --from reads the cells of an earlier run. The table of the page must be that of cells.csv.
"""
import argparse
import csv
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

DOCUMENT = Path(__file__).resolve().parents[2] / "docs/accuracy.md"
CELLS = Path(__file__).with_name("cells.csv")
BEGIN, END = "<!-- begin: tests/accuracy/table.py -->", "<!-- end -->"
KEYS = ("table", "kernel", "algorithm", "accuracy", "extent", "q", "exponent")
COLUMNS = (*KEYS, "state", "error", "why")


def read(text):
    cells = []
    for line in text.splitlines():
        part = line.split("\t")
        cell = dict(zip(KEYS, part)) | {"error": "", "why": ""}
        rest = part[len(KEYS):]
        if rest[0] == "run":
            _, judge, extended, _, state = rest[1:]
            cell |= {"state": state, "error": short(max(float(judge), float(extended)))}
        else:
            cell |= {"state": "refused", "why": rest[1]}
        cells.append(cell)
    return cells


def short(number):
    """2.3e-08 as 2e-8."""
    mantissa, exponent = f"{number:.0e}".split("e")
    return f"{mantissa}e{int(exponent)}"


def document(cells):
    """What is counted, and of each table and algorithm the largest error of the cells met, by the accuracy asked for."""
    counts, errors, refused = defaultdict(int), defaultdict(list), defaultdict(int)
    accuracies = list(dict.fromkeys(c["accuracy"] for c in cells))
    for cell in cells:
        key = cell["table"], cell["algorithm"]
        counts[cell["state"]] += 1
        refused[key] += cell["state"] == "refused"
        if cell["state"] == "met":
            errors[*key, cell["accuracy"]].append(float(cell["error"]))
    lines = [f"{len(cells)} cells: {counts['met']} met, {counts['not verifiable']} not verifiable in double, {counts['refused']} refused, "
             f"{counts['missed']} missed.", "",
             "| table | algorithm | " + " | ".join(f"at {a}" for a in accuracies) + " | refused |", "|---" * (len(accuracies) + 3) + "|"]
    for key in refused:
        largest = [short(max(errors[*key, a])) if errors[*key, a] else "-" for a in accuracies]
        lines.append(f"| {' | '.join([*key, *largest])} | {refused[key]} |")
    return "\n".join(lines)


def write(cells):
    with CELLS.open("w", newline="") as file:
        table = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        table.writeheader()
        table.writerows(cells)
    before, _, rest = DOCUMENT.read_text().partition(BEGIN)
    DOCUMENT.write_text(f"{before}{BEGIN}\n{document(cells)}\n{END}{rest.partition(END)[2]}")


def stale():
    """Whether the table of the page is not that of the cells that are kept."""
    with CELLS.open() as file:
        kept = document(list(csv.DictReader(file)))
    if f"{BEGIN}\n{kept}\n{END}" in DOCUMENT.read_text():
        return False
    print(f"{DOCUMENT.name}: its table is not that of {CELLS.name}; that is\n{kept}")
    return True


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
    # Points are no product of axes, so there is no separable sum of a detector's.
    cells = [c for c in read(text) if (c["table"], c["algorithm"]) != ("detector", "separable")]
    missed = [c for c in cells if c["state"] == "missed"]
    for cell in missed:
        print("missed:", " ".join(f"{k} {v}" for k, v in cell.items()))
    ran = sum(c["state"] != "refused" for c in cells)
    print(f"{len(cells)} cells, {ran} ran, {len(missed)} missed")
    if args.write:
        write(cells)
    # A table without runs of every algorithm has tested nothing.
    if not args.file:
        ran = {c["algorithm"] for c in cells if c["state"] != "refused"}
        for algorithm in ("direct", "separable", "nufft"):
            if algorithm not in ran:
                print(f"no cell ran {algorithm}: {next(c['why'] for c in cells if c['algorithm'] == algorithm)}")
                return 1
    return bool(missed) or stale()


if __name__ == "__main__":
    sys.exit(main())
