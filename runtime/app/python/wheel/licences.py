"""The licences of what a wheel holds besides facet, a file for each Debian package or project on PyPI that it is from.

    licences.py FOLDER DUCC PROGRAM ... DUCC: where its sources are; PROGRAM: programs and libraries, whose shared libraries wheels carry
"""
import importlib.metadata
import os
import re
import subprocess
import sys
from pathlib import Path

# Not carried: every machine with a manylinux Python has them.
SYSTEM = {"libc6", "libgcc-s1"}
# Linked in, or headers: no program names them.
WITHIN = ["llvm-19-dev", "libclang-19-dev", "liblld-19-dev", "libpolly-19-dev", "libzstd-dev", "zlib1g-dev", "nlohmann-json3-dev",
          "libtomlplusplus-dev", "libcli11-dev", "fonts-dejavu-core"]
PROJECTS = ["nanobind"]
# Headers with their licence at the top.
HEADERS = {"ducc0": "ducc0/fft/fft.h"}
# Tables that are compiled in.
TABLES = Path(__file__).parents[3] / "scattering/material"


def packages(program):
    """The packages of Debian, whose libraries the program is linked to, through others too."""
    instead = {"LD_LIBRARY_PATH": os.environ.get("AUDITWHEEL_LD_LIBRARY_PATH", "")}  # of wheel.sh
    lines = subprocess.run(["ldd", program], capture_output=True, text=True, check=True, env={**os.environ, **instead}).stdout
    paths = {str(Path(p).resolve()) for p in re.findall(r"=> (/\S+)", lines)}
    found = subprocess.run(["dpkg", "-S", *paths, *(p.removeprefix("/usr") for p in paths), *("/usr" + p for p in paths)],
                           capture_output=True, text=True).stdout  # some are of PyPI, most have one place of the two
    return {line.split(":")[0] for line in found.splitlines() if not line.startswith("diversion")}


def main():
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    names = sorted({*WITHIN, *(name for program in sys.argv[3:] for name in packages(program))} - SYSTEM)
    common = set()  # the texts that Debian keeps once
    for name in names:
        text = (Path("/usr/share/doc") / name / "copyright").read_text(errors="replace")
        (folder / f"{name}.txt").write_text(text)
        common.update(re.findall(r"/usr/share/common-licenses/([\w.-]*\w)", text))
    for name in common:
        file = Path("/usr/share/common-licenses") / name
        if file.exists():
            (folder / f"common-{name}.txt").write_text(file.read_text())
    for name in PROJECTS:
        files = [f for f in importlib.metadata.files(name) or [] if re.search(r"licen[cs]e", f.name, re.I)]
        if not files:
            sys.exit(f"licences.py: {name} has no licence")
        (folder / f"{name}.txt").write_text("\n".join(f.read_text() for f in files))
    (folder / "xraydb.txt").write_text((TABLES / "xraydb.licence.txt").read_text())
    for name, header in HEADERS.items():
        (folder / f"{name}.txt").write_text((Path(sys.argv[2]) / header).read_text().partition("#ifndef")[0])


main()
