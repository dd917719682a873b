#!/usr/bin/env python3
"""Which folder may include which: the table of docs/architecture.md, and no ring of folders anywhere.

The table is read from the document, so that what people read is the rule the test checks. Its rows look like
`| folder | may include | outside libraries |`; a folder without a row goes by the row of the folder it lies in.
Rings are looked for between all folders, with a row or not. A folder here is the files directly in it, so that the files
of a folder and those of a folder in it may make a ring too. Whatever the table says, a storey of the runtime stands on
those below it alone. Modules of the Python package are looked at likewise, one by one, wherever in a file they are
imported.
"""
import ast
import graphlib
import re
import sys
from collections import defaultdict
from itertools import pairwise
from pathlib import Path

import tree

DOCUMENT = Path("docs/architecture.md")
PRODUCT = ("codegen", "dsl", "runtime", "schedules")
# Storeys of the runtime, and those above each, which it may not include.
ABOVE = {"runtime/engine": ("runtime/picture", "runtime/scattering", "runtime/app"), "runtime/picture": ("runtime/scattering", "runtime/app"),
         "runtime/scattering": ("runtime/app",)}
# Headers of outside libraries, by the word the document uses.
LIBRARIES = {
    "Clang": r"^(clang|llvm)/|^clang-c/", "Halide": r"^Halide", "HDF5": r"^hdf5",
    "cairo": r"^cairo", "toml++": r"^toml\+\+/", "CLI11": r"^CLI/", "json": r"^nlohmann/",
    "zlib": r"^zlib\.h", "MPI": r"^mpi\.h",
}


def table():
    """{folder: (folders it may include, libraries it may include)}"""
    split = lambda cell: set(re.findall(r"[\w/+]+", cell))
    rows = re.findall(r"^\| `([a-z_/]+)` \| ([^|]*) \| ([^|]*) \|$", DOCUMENT.read_text(), re.M)
    return {name: (split(inside), split(outside)) for name, inside, outside in rows}


def row_of(path, rows):
    """The longest row that `path` lies in."""
    return max((r for r in rows if path.startswith(r + "/")), key=len, default=None)


def resolve(include, path):
    """The repository file an include names, or None for an outside header."""
    for root in (Path(path).parent, Path("."), Path("dsl"), Path("runtime/include"), Path("codegen/ir")):
        if (root / include).is_file():
            return (root / include).resolve().relative_to(Path.cwd().resolve()).as_posix()
    return None


def rings(arrows):
    """Rings of folders until none is left: after each, its arrow of fewest includes is taken away."""
    graph = {home: sorted(there) for home, there in sorted(arrows.items())}
    while True:
        try:
            graphlib.TopologicalSorter(graph).prepare()
            return
        except graphlib.CycleError as error:
            ring = list(pairwise(reversed(error.args[1])))  # it names what is included first
            yield ring
            home, there = min(ring, key=lambda arrow: len(arrows[arrow[0]][arrow[1]]))
            graph[home].remove(there)


def imports(path, modules):
    """The modules that a file of the package imports from it, by their files, with the lines that do."""
    found = defaultdict(list)
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.level:
            folder = path.parents[node.level - 1].joinpath(*(node.module or "").split("."))
            for name in [folder] + [folder / alias.name for alias in node.names]:
                if (there := name.with_suffix(".py")) in modules and there != path:
                    found[str(there)].append(f"{path}:{node.lineno} imports {there.stem}")
    return found


def main():
    rows, bad, seen = table(), [], 0
    arrows = defaultdict(lambda: defaultdict(list))  # folder -> folder -> includes
    for path in tree.files(*(f"{folder}/*.{suffix}" for folder in PRODUCT for suffix in ("cpp", "h", "def"))):
        home = row_of(path, rows)
        if home is None:
            bad.append(f"{path}: no row of the table is its folder's")
            continue
        seen += 1
        inside, outside = rows[home]
        for include in re.findall(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', Path(path).read_text(), re.M):
            target = resolve(include, path)
            if target:
                folder, there = str(Path(path).parent), str(Path(target).parent)
                if folder != there:
                    arrows[folder][there].append(f"{path} includes {include}")
                if any(target.startswith(storey + "/") for storey in ABOVE.get(row_of(path, ABOVE), ())):
                    bad.append(f"{path}: includes {include}, of a storey above")
                row = row_of(target, rows)
                if row and row != home and row not in inside:
                    bad.append(f"{path}: includes {include}: no arrow {home} -> {row}")
            else:
                for name, pattern in LIBRARIES.items():
                    if re.search(pattern, include) and name not in outside:
                        bad.append(f"{path}: includes {include}: {home} may not use {name}")
    modules = {Path(path) for path in tree.files("runtime/app/python/facet/*.py")}
    arrows |= {str(path): imports(path, modules) for path in modules}
    for ring in rings(arrows):
        bad.append("a ring: " + " -> ".join([home for home, _ in ring] + [ring[0][0]]))
        for home, there in ring:
            bad += [f"  {line}" for line in arrows[home][there]]
    if not rows or not seen:
        bad.append("check_arrows: no table, or no file, was found")
    return tree.faults(bad)


if __name__ == "__main__":
    sys.exit(main())
