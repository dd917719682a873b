"""kernels.py FILECHECK TEST FOLDER [COMMAND ...]: writes the files of a test into a folder, kernels among them in short form.

A section begins with `//--- NAME` and is a file as it stands, as split-file has it. More on that line makes it a kernel in short form:
  `//--- NAME.fir DECLARATIONS`: the sum's values, of which the last is yielded where nothing else is, and other regions in full. There is
      a grid of real axes if none is declared, and `finish` gives the sum.
  `//--- NAME.cpp GRID`: records (`struct ...`, the last is that of the sum), members of the kernel (`struct Params`, `static`), what is
      expected (a check, //), and the body of `term`; `finish` returns the sum if it is not a member.
With a COMMAND it is run on each file, and what it prints is compared with what the file expects.
"""
import pathlib
import re
import subprocess
import sys


def intermediate(declarations, text):
    """The text of a .fir file."""
    region = re.compile(r"(?ms)^\w+(?: t)? \{(?:[^\n]*|\n.*?\n)\}$")
    regions, values = region.findall(text), region.sub("", text)
    if "grid " not in declarations:
        declarations += "\ngrid product { x: real, y: real, z: real }"
    if not re.search(r"(?m)^yield", values):
        values += "\nyield " + re.findall(r"(?m)^%\w+", values)[-1]
    if not any(one.startswith("finish") for one in regions):
        regions.append("finish { yield sum }")
    return "\n".join(["kernel @k {", declarations, "sum t {", values, "}", *regions, "}", ""])


def language(name, grid, text):
    """The text of a .cpp file."""
    lines = text.split("\n")
    takes = lambda pattern: [line for line in lines if re.match(pattern, line)]
    members, records = takes(r"struct Params|static "), takes(r"struct (?!Params)|using ")
    expected = takes(r"[A-Z]+(-[A-Z]+)*:|//|$")
    body = [line for line in lines if line not in members + records + expected]
    record = (["Triangle"] + re.findall(r"struct (\w+)", "\n".join(records)))[-1]
    params = ", const Params &p" if any("struct Params" in line for line in members) else ""
    finish = [] if any(" finish(" in line for line in members) else [f"  static cplx finish(Grid::q, cplx sum{params}) {{ return sum; }}"]
    return "\n".join([
        "#include <facet/dsl.h>", "using namespace facet;", *records, f"struct FACET_KERNEL {name} {{", f"  using Grid = {grid};",
        *("  " + line for line in members), f"  static cplx term(Grid::q q, const {record} &t{params}) {{",
        *("    " + line for line in body), "  }", *finish, "};", *("// " + line for line in expected), ""])


filecheck, test, folder, *command = sys.argv[1:]
pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
failed = 0
for section in re.split(r"(?m)^//--- ", pathlib.Path(test).read_text())[1:]:
    head, text = section.split("\n", 1)
    file, _, kind = head.partition(" ")
    path = pathlib.Path(folder, file)
    if kind:
        text = intermediate(kind, text.rstrip()) if path.suffix == ".fir" else language(path.stem, kind, text.rstrip())
    path.write_text(text)
    if command:
        said = subprocess.run([*command, path], stdout=subprocess.PIPE)
        wrong = subprocess.run([filecheck, path], input=said.stdout).returncode or said.returncode
        failed += wrong != 0
        print(f"{'FAILED ' if wrong else ''}{' '.join(command)} {path}")
sys.exit(failed != 0)
