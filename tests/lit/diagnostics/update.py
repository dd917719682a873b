# update.py - rewrites what the tests expect from what facetc says now: update.py FACETC [TEST...].
# Read the difference before committing it.
import pathlib
import re
import subprocess
import sys
import table


def rewrite(facetc, test):
    text = "".join(
        line for line in test.read_text().splitlines(True) if not line.startswith("// CHECK")
    ).rstrip("\n")
    test.write_text(text + "\n")  # facetc must not quote old expectations
    said = subprocess.run([facetc, str(test), "--emit=ir", "-o", "-"], capture_output=True, text=True)
    for k, line in enumerate(said.stderr.splitlines()):
        line = re.sub(" +$", "{{ +}}", line).replace(str(test), "{{.*}}" + test.name)
        text += f"\n// CHECK{'-NEXT' if k else ''}:{line}"
    test.write_text(text + "\n")


for test in map(pathlib.Path, sys.argv[2:] or table.tests()):
    rewrite(sys.argv[1], test.resolve())
