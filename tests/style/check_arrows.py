#!/usr/bin/env python3
"""The arrows of docs/architecture.md: which folder may include which.

The table is read from the document, so that the picture people read is the rule the test checks.
Rows look like `| folder | may include | outside libraries |`.
"""
import re
import subprocess
import sys
from pathlib import Path

DOCUMENT = Path("docs/architecture.md")
# Headers of outside libraries, by the word the document uses.
LIBRARIES = {
    "Clang": r"^(clang|llvm)/|^clang-c/", "Halide": r"^Halide", "HDF5": r"^hdf5",
    "cairo": r"^cairo", "toml++": r"^toml\+\+/", "CLI11": r"^CLI/", "json": r"^nlohmann/",
    "zlib": r"^zlib\.h",
    "MPI": r"^mpi\.h",
}


def table():
    rows = {}
    for line in DOCUMENT.read_text().splitlines():
        cells = [c.strip().strip("`") for c in line.strip().strip("|").split("|")]
        if len(cells) == 3 and re.fullmatch(r"[a-z_]+(/[a-z_]+)*", cells[0]):
            split = lambda text: {w.strip().strip("`") for w in text.split(",") if w.strip() not in ("", "-")}
            rows[cells[0]] = (split(cells[1]), split(cells[2]))
    return rows


def folder(path, rows):
    """The longest row that `path` lies in."""
    best = [r for r in rows if path == r or path.startswith(r + "/")]
    return max(best, key=len, default=None)


def resolve(include, path):
    """The repository file an include names, or None for an outside header."""
    for root in (Path(path).parent, Path("."), Path("dsl"), Path("runtime/include"), Path("codegen/ir")):
        if (root / include).is_file():
            return (root / include).resolve().relative_to(Path.cwd().resolve()).as_posix()
    return None


def main():
    rows, bad, seen = table(), [], 0
    files = subprocess.run(["git", "ls-files", "*.cpp", "*.h"], capture_output=True, text=True).stdout.split()
    for path in files:
        home = folder(path, rows)
        if home is None:
            continue
        seen += 1
        inside, outside = rows[home]
        for include in re.findall(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', Path(path).read_text(), re.M):
            target = resolve(include, path)
            if target:
                there = folder(target, rows)
                if there and there != home and there not in inside:
                    bad.append(f"{path}: includes {include}: no arrow {home} -> {there}")
            else:
                for name, pattern in LIBRARIES.items():
                    if re.search(pattern, include) and name not in outside:
                        bad.append(f"{path}: includes {include}: {home} may not use {name}")
    print("\n".join(bad), end="\n" if bad else "")
    if not rows or not seen:
        print("check_arrows: no table, or no file, was found")
        return 1
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main())
