"""refuse.py FACETC CASES SCRATCH - each case: a line of IR, a caret and the message expected.

Puts the line into a kernel's finish region, and compares the last three lines of the refusal.
"""
import subprocess
import sys
from pathlib import Path

TEMPLATE = """kernel @k {
  triangle { area: real }
  grid product { x: real, y: real, z: cplx }
  params { kappa }
  sum t { yield t.area }
  finish {
LINE
    yield sum
  }
}
"""
facetc, cases, scratch = sys.argv[1:]
failed = 0
parts = Path(cases).read_text().split("---\n")[1:]
for part in parts:
    line, caret = part.rstrip("\n").split("\n")
    at, message = caret.index("^"), caret[caret.index("^") + 2:]
    Path(scratch).write_text(TEMPLATE.replace("LINE", line))
    done = subprocess.run([facetc, scratch], capture_output=True, text=True)
    expected = f"facetc: error: {scratch}:7:{at + 1}: error: {message}\n{line}\n{' ' * at}^\n"
    if done.returncode != 1 or done.stderr != expected or done.stdout:
        failed += 1
        print(f"expected:\n{expected}got ({done.returncode}):\n{done.stdout}{done.stderr}")
print(f"{len(parts) - failed} refused as expected, {failed} not")
sys.exit(failed != 0 or not parts)
