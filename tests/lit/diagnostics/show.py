# show.py - compares what facetc says of each case of a file with what is written there: show.py
# FACETC FILE. With --update FILE... it writes what facetc says now: read the difference before
# committing it.
import difflib
import pathlib
import re
import subprocess
import sys
import tempfile
import table


def said(case, folder):
    """The lines that facetc prints of a case, and whether it failed."""
    path = pathlib.Path(folder, case.name + ".cpp")
    path.write_text("\n".join(case.source) + "\n")
    run = subprocess.run([sys.argv[1], path, "--emit=ir", "-o", path.with_suffix(".fir")],
                         capture_output=True, text=True)
    return [line.rstrip() for line in run.stderr.replace(f"{path}:", "").replace(f"{folder}/", "").splitlines()], run.returncode


def update(path, folder):
    text = path.read_text()
    for case in table.cases(path):
        kept = []
        for line in said(case, folder)[0]:  # but for what follows of itself
            place = bool(kept) and re.match(r"(\d+):\d+: ", kept[-1])
            echo = place and line.startswith(f"{place[1]:>5} | ")
            note = line.startswith("note: ") and line in case._replace(said=kept).expected()
            if not echo and not note and not re.match(r"\d+ (error|warning)", line):
                kept.append(line)
        at = text.index("\n--", text.index(f"== {case.name}: ")) + 1
        old, new = ["--"] + case.said, ["--"] + kept
        text = text[:at] + "\n".join(new) + text[at + len("\n".join(old)) :]
    path.write_text(text)


with tempfile.TemporaryDirectory() as folder:
    if sys.argv[2] == "--update":
        for path in map(pathlib.Path, sys.argv[3:]):
            update(path, folder)
        sys.exit()
    bad = []
    for case in table.cases(pathlib.Path(sys.argv[2])):
        lines, code = said(case, folder)
        expected = case.expected()
        if lines != expected:
            bad += [f"== {case.name}", *difflib.unified_diff(expected, lines, "expected", "said", lineterm="")]
        if (code != 0) != any(" error: " in line for line in expected):
            bad.append(f"== {case.name}: facetc ended with {code}")
    sys.exit("\n".join(bad) or None)
