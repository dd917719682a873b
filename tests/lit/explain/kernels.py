"""kernels.py TEST FOLDER FACETC FILECHECK: writes the kernels of a test in short form, and checks what facetc explains of each.

A section begins with `//--- NAME GRID`. Its lines are records (`struct ...`), members of the kernel (`struct Params`, `static`), what is
expected (CHECK, //), and the body of `term`; finish returns the sum.
"""
import pathlib
import re
import subprocess
import sys

test, folder, facetc, filecheck = sys.argv[1:]
pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
failed = 0
for section in re.split(r"(?m)^//--- ", pathlib.Path(test).read_text())[1:]:
    head, *lines = section.rstrip().split("\n")
    name, grid = head.split(" ", 1)
    takes = lambda pattern: [line for line in lines if re.match(pattern, line)]
    members, records = takes(r"struct Params|static "), takes(r"struct (?!Params)")
    expected = takes(r"CHECK|//|$")
    body = [line for line in lines if line not in members + records + expected]
    record = re.match(r"struct (\w+)", records[0])[1] if records else "Triangle"
    params = ", const Params &p" if any("struct Params" in line for line in members) else ""
    kernel = pathlib.Path(folder, name + ".cpp")
    kernel.write_text("\n".join([
        "#include <facet/dsl.h>", "using namespace facet;", *records, f"struct FACET_KERNEL {name} {{", f"  using Grid = {grid};",
        *("  " + line for line in members), f"  static cplx term(Grid::q q, const {record} &t{params}) {{",
        *("    " + line for line in body), "  }", f"  static cplx finish(Grid::q, cplx sum{params}) {{ return sum; }}", "};", ""]))
    checks = kernel.with_suffix(".check")
    checks.write_text("\n".join(expected))
    said = subprocess.run([facetc, "--emit=explain", kernel], stdout=subprocess.PIPE).stdout
    failed += subprocess.run([filecheck, checks], input=said).returncode
sys.exit(failed != 0)
