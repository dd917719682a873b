#!/usr/bin/env python3
"""Nothing in the tree is left unfinished or names one machine's paths; the engine has no word of scattering.

engine_words.txt lists the lines of the engine that may have one: `FILE: WORDS OF THE LINE: REASON`.
"""
import re
import sys
from pathlib import Path

import tree

# Built from halves, so that this file does not match itself.
PATTERNS = {
    "unfinished": "TO" + r"DO|FIX" + "ME|X" + "XX:",
    "path of one machine": r"(?<![\w.])/(?:ho" + "me|ro" + "ot|wo" + r"rk)/\w",
}
OF_SCATTERING = re.compile(r"\b(?:particle|layer|beam|pixel|detector|gisaxs|dwba)s?\b", re.I)
LISTED = Path(__file__).with_name("engine_words.txt")


def of_scattering(lines):
    """Words of scattering in the engine, but for those listed; and what is listed in vain."""
    listed = {tuple(line.split(": ", 2)[:2]): 0 for line in LISTED.read_text().splitlines() if not line.startswith("#")}
    for at, line in lines:
        if at.startswith("runtime/engine/") and (word := OF_SCATTERING.search(line)):
            known = next((key for key in listed if at.rsplit(":", 1)[0] == key[0] and key[1] in line), None)
            if known is None:
                yield f"{at}: '{word[0]}' in the engine: {line.strip()[:80]}"
            else:
                listed[known] += 1
    yield from (f"{LISTED.name}: nothing says '{words}' in {file}" for (file, words), seen in listed.items() if not seen)


lines = [(f"{name}:{number}", line) for name in tree.files() if not name.endswith((".png", ".stl", ".h5"))
         for number, line in enumerate(Path(name).read_text(errors="replace").splitlines(), 1)]
sys.exit(tree.faults([f"{at}: {what}: {line.strip()[:80]}" for at, line in lines
                      for what, pattern in PATTERNS.items() if re.search(pattern, line)] + list(of_scattering(lines))))
