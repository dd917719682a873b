# attacks.py - shows that nothing of a hostile kernel file is compiled or run: attacks.py FACET TEST.
#
#   == name: what it tries
#   lines, between those of a head and a kernel; of @whole: all of the file
#   -- 3:1: error: the message at its place, as far as it is given; without a place: of the whole file
#
# <<TEXT*N>> stands for N times the text, in which \xNN is a byte. Each file is given to `facet run`. It must end
# with exit code 1 and this message, with no library in the cache and no file `made`. A file that could do anything
# would write `made`. With --update it writes what is said now.
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HEAD = b"#include <facet/dsl.h>\nusing namespace facet;\n"
KERNEL = b"""struct FACET_KERNEL k {
  using Grid = product<real, real, real>;
  static cplx term(Grid::q q, const Triangle &t) { return t.area * cis(dot(q, t.centroid)); }
  static cplx finish(Grid::q q, cplx sum) { return sum; }
};
"""


def written(lines):
    def repeated(match):
        return match[1].decode("unicode_escape").encode("latin-1") * int(match[2])

    whole = lines[0] == "@whole"
    text = "\n".join(lines[whole:]).encode() + b"\n"
    text = re.sub(rb"<<(.*?)\*(\d+)>>", repeated, text, flags=re.DOTALL)
    return text if whole else HEAD + text + KERNEL


def said(name, text, folder):
    """What `facet run` says first, and what is wrong beside."""
    path = folder / f"{name}.cpp"
    path.write_bytes(text)
    cache = folder / "cache"
    run = subprocess.run([facet, "run", path.name, "--shape", "box", "--qz", "1", "--picture", "none"], cwd=folder,
                         env={**os.environ, "FACET_CACHE": str(cache)}, capture_output=True, timeout=100)
    lines = run.stderr.decode(errors="replace").splitlines()
    first = next((line for line in lines if "error: " in line), "nothing").removeprefix(f"{name}.cpp:").strip()
    wrong = [] if run.returncode == 1 else [f"exit code {run.returncode}"]
    wrong += ["it was compiled"] if list(cache.glob("*.so")) else []
    wrong += ["it ran"] if (folder / "made").exists() else []
    return first, wrong


update = sys.argv[1] == "--update"
facet, tests = sys.argv[1 + update], sys.argv[2 + update :]
bad = []
for test in map(pathlib.Path, tests):
    text = test.read_text()
    count = 0
    for case in re.split(r"^== ", text, flags=re.MULTILINE)[1:]:
        head, *lines = case.rstrip("\n").split("\n")
        end = next(k for k, line in enumerate(lines) if line.startswith("--"))
        with tempfile.TemporaryDirectory() as folder:
            first, wrong = said(head.partition(":")[0], written(lines[:end]), pathlib.Path(folder))
        if not first.startswith(lines[end].removeprefix("-- ")) or lines[end] == "--":
            wrong.append(f"it says: {first}")
            text = text.replace("\n" + "\n".join(lines), "\n" + "\n".join(lines[:end] + [f"-- {first}"]), 1)
        bad += [f"{head}: {one}" for one in wrong]
        count += 1
    if update:
        test.write_text(text)
    if count == 0:
        bad.append(f"{test}: no attacks are read")
print("\n".join(bad) or "each is refused")
sys.exit(bool(bad) and not update)
