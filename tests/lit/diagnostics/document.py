#!/usr/bin/env python3
# document.py - writes docs/diagnostics.md from the table and the tests: --update, else compares.
import re
import sys
import textwrap

import table


def example(id):
    """The first message of this kind that a case shows, without its place, with its source and fix-it; and the note."""
    for case in table.every():
        lines = case.expected()
        for k, line in enumerate(lines):
            if f"[facet-{id}]" in line:
                block = [re.sub(r"^\d+:\d+: ", "", line).replace(f" [facet-{id}]", "")]
                for follower in lines[k + 1 :]:
                    if follower.startswith("note: "):
                        return block, follower.removeprefix("note: ")
                    if " | " not in follower and not follower.endswith(" |"):
                        break
                    if re.search(r"[^\d |~^]", follower):
                        block.append(re.sub(r"^[\d ]*\| ?", "    ", follower))
                return block, ""
    return [], ""


def page():
    out = [
        "# Diagnostics",
        "",
        "What the front end says about a kernel file, and below it why. Messages name file, line, column and id, `[facet-ID]`.",
        "Made from `codegen/frontend/diagnostics.def` and the tests by `tests/lit/diagnostics/document.py --update`.",
    ]
    group = None
    for diagnostic in table.diagnostics():
        if diagnostic.group != group:
            group = diagnostic.group
            out += ["", f"## {group}"]
        block, note = example(diagnostic.id)
        out += ["", f"### facet-{diagnostic.id}", "", *(f"    {line}".rstrip() for line in block)]
        out += ["", *textwrap.wrap(note[0].upper() + note[1:] + ".", 120, break_on_hyphens=False)] if note else []
    return "\n".join(out) + "\n"


path = table.ROOT / "docs/diagnostics.md"
if "--update" in sys.argv:
    path.write_text(page())
elif not path.exists() or path.read_text() != page():
    sys.exit("docs/diagnostics.md is not what the table says: run document.py --update")
