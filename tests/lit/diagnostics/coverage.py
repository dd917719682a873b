# coverage.py - fails if a diagnostic of the table is shown by no case, or a case does not show what
# its name says.
import re
import sys
import table

known = {diagnostic.id for diagnostic in table.diagnostics()}
shown, wrong = set(), []
for case in table.every():
    ids = set(re.findall(r"\[facet-([\w-]+)\]", "\n".join(case.said)))
    shown |= ids
    if case.name not in ids:
        wrong.append(f"{case.name}: it does not show [facet-{case.name}]")
wrong += [f"[facet-{id}] has no test" for id in sorted(known - shown)]
wrong += [f"[facet-{id}] is not in the table" for id in sorted(shown - known)]
print("\n".join(wrong) or f"all {len(known)} diagnostics are shown by a test")
sys.exit(bool(wrong))
