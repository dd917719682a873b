"""What the front end says of a kernel written in Python, said at its line of Python; once said, kept beside the text."""

from __future__ import annotations

import json
import linecache
import os
import re
import subprocess
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

from .. import _core
from ..errors import Error
from ..kernel_file import Kernel, written
from .places import Place, head
from .text import KernelParts, Places, lines_of


def checked(parts: KernelParts) -> Kernel:
    """The kernel, once the front end takes its text."""
    text = lines_of(parts)
    file = written(text, parts.name)
    said = _remarks(file)
    if said:
        _say(said, parts, text)
    kernel = Kernel(str(file), text)
    kernel._python = lambda: places_of_text(parts, text)
    return kernel


def places_of_text(parts: KernelParts, text: str) -> dict[str, Any] | None:
    """The lines of Python that made a text, and which of its places came from where; None where there is no source."""
    places, rows = Places(parts), []
    for number, line in enumerate(text.split("\n"), 1):
        for token in re.finditer(r"[A-Za-z_]\w*|[^\w\s]", line):
            if (place := places.of(text, number, token.start() + 1)) is not None:
                rows.append((number, len(line[:token.start()].encode()) + 1, place))
    file = Counter(place.file for *_, place in rows).most_common(1)[0][0] if rows else ""
    source = linecache.getlines(file)
    used = [place.line for *_, place in rows if place.file == file]
    if not source or max(used) > len(source):
        return None
    kept = source[min(used) - 1:max(used)]
    return {"file": os.path.basename(file), "text": "".join(kept), "first": min(used),
            "places": [(line, column, place.line, place.begin + 1) for line, column, place in rows if place.file == file]}


def _remarks(file: Path) -> list[dict[str, Any]]:
    """What facetc says of a file, or said of this text before."""
    kept, compiler = file.with_suffix(".json"), _core.find_facetc()
    found = os.stat(compiler)
    key = [found.st_size, found.st_mtime_ns]
    try:
        before = json.loads(kept.read_text("utf-8"))
        if before["facetc"] == key:
            return list(before["remarks"])
    except (OSError, ValueError, KeyError, TypeError):
        pass
    done = subprocess.run([compiler, str(file), "--emit=check", "--json"], capture_output=True, text=True)
    try:
        remarks = list(json.loads(done.stdout)["diagnostics"])
    except (ValueError, KeyError):
        raise Error(done.stderr.strip() or f"{compiler}: ended with {done.returncode}", 2) from None
    part = kept.with_suffix(f".{os.getpid()}")
    part.write_text(json.dumps({"facetc": key, "remarks": remarks}), "utf-8")
    part.replace(kept)
    return remarks


def _say(remarks: list[dict[str, Any]], parts: KernelParts, text: str) -> None:
    """Warns of what is a warning; raises what is an error, all in one."""
    places = Places(parts)
    errors = []
    for remark in remarks:
        place = places.of(text, remark["line"], remark["column"]) if remark.get("line") else parts.spot.place
        said = _text(remark, place)
        if remark["severity"] == "error":
            errors.append(said)
        else:
            where = place or Place("facet", 1, 0, 0)
            warnings.warn_explicit(said.split(": ", 1)[1], UserWarning, where.file, where.line)
    if errors:
        raise Error("\n".join(errors))


#: what to write in Python, where the front end says it in C++
REMEDIES = {"facet-no-origin": "write def origin(t): return ..., F at q = 0, a sum over the records too", "facet-per-points": "write grid = facet.product(...)"}


def _text(remark: dict[str, Any], place: Place | None) -> str:
    what, _, help = str(remark["message"]).partition(": ")
    if remedy := REMEDIES.get(remark.get("id", "")):
        what, help, remark = f"{what}: {help}" if remark["id"] == "facet-no-origin" else what, remedy, {**remark, "why": ""}
    said = f"{what} [{remark['id']}]" if remark.get("id") else what
    lines = [head(place, said) if place is not None else f"kernel: {said}"]
    lines += [f"  {word}: {line}" for word, line in (("why", remark.get("why")), ("help", help)) if line]
    return "\n".join(lines)
