#!/usr/bin/env python3
"""Types are nouns of the field. None in runtime/ has a name that docs/words.md gives up in its table of types; none there
and in codegen/ ends like a participle or begins like a clause.

    check_types.py [FILE ...]     default: all of runtime/ and codegen/
"""
import re
import sys
from pathlib import Path

import tree

DECLARED = re.compile(r"\b(?:struct|class|enum class)\s+(?:\[\[\w+\]\]\s*)?(?:\w+::)*(\w+)(?:\s+final)?\s*(?::[^;{()]*)?\{|\busing\s+(\w+)\s*=")
PARTICIPLE = re.compile(r"\w*(ed|ing)|Drawn|Found|Given|Kept|Known|Made|Seen|Taken")
CLAUSE = re.compile(r"(At|By|From|How|Kept|Of|With)(?![a-z])")
# Last words, or whole names, that look so and are allowed.
NOUNS = {
    **dict.fromkeys(("Speed", "Ring", "Ceiling", "Heading", "String"), "no form of a verb"),
    "Drawing": "a picture being drawn, as on paper",
    "Encoding": "how a file holds numbers",
    "Finding": "what a check has found",
    "Grazing": "grazing incidence",
    "Lettering": "the letters of a picture",
    "Lowering": "a compiler's word for the way from one form of a program to the next",
    "Observed": "measured intensities: sigma_observed and the like are the field's word",
    "Pairing": "what belongs together by twos",
    "Reading": "what an instrument shows",
    **dict.fromkeys(("Compiled", "Executed", "Explained", "Measured", "GradientWanted", "HowToSum", "Simulated"), "public: users have it"),
}


def given_up(page):
    """{old name: new name} of the table whose head is `type`."""
    names, inside = {}, False
    for line in page.splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if len(cells) != 3:
            inside = False
        elif cells[0] == "type":
            inside = True
        elif inside:
            names |= {old: cells[0] for old in re.findall(r"\w+", cells[2])}
    return names


def faults(name, text, names):
    for number, line in enumerate(text.splitlines(), 1):
        for match in DECLARED.finditer(line.split("//")[0]):
            if old := match[1] or match[2]:
                last = re.findall(r"[A-Z][a-z0-9]*|\w+", old)[-1]
                if (PARTICIPLE.fullmatch(last) or CLAUSE.match(old)) and old[0].isupper() and not {last, old} & NOUNS.keys():
                    yield f"{name}:{number}: type {old} is a participle or a clause: a noun says of what"
                elif old in names and name.startswith("runtime/"):
                    yield f"{name}:{number}: type {old}: docs/words.md has {names[old]} in its place"


if __name__ == "__main__":
    names = given_up(Path("docs/words.md").read_text())
    if not names:
        sys.exit("docs/words.md has no table of types")
    files = sys.argv[1:] or [name for name in tree.files() if name.startswith(("runtime/", "codegen/")) and name.endswith((".h", ".cpp"))]
    sys.exit(tree.faults([fault for name in files for fault in faults(name, Path(name).read_text(), names)]))
