# coverage.py - fails where a diagnostic of the table has no test, or a test has another name than
# what it shows.
import re
import sys
import table

known = {diagnostic.id: diagnostic for diagnostic in table.diagnostics()}
shown, wrong = set(), []
for test in table.tests():
    ids = set(re.findall(r"\[facet-([\w-]+)\]", "\n".join(table.expected(test))))
    shown |= ids
    kind, _, name = test.stem.partition("_")
    id = name.replace("_", "-")
    if id not in ids:
        wrong.append(f"{test.name}: it does not show [facet-{id}]")
    elif kind != {"Error": "fail", "Warning": "warn"}[known[id].severity]:
        wrong.append(f"{test.name}: an error's test is named fail_, a warning's warn_")
wrong += [f"[facet-{id}] has no test" for id in known if id not in shown]
wrong += [f"[facet-{id}] is not in the table" for id in shown if id not in known]
print("\n".join(wrong) or f"all {len(known)} diagnostics are shown by a test")
sys.exit(bool(wrong))
