# table.py - reads codegen/frontend/diagnostics.def, and the cases that show its messages: kernels
# with what facetc says of each, in the .test files of this folder.
#
#   == name: what it is about       the name is that of the diagnostic it shows
#   @begin                          lines that most kernels have, below: a case begins with @head and
#     ...                           ends with @end where it does not say so, as does the body of term
#   --
#   9:12: error: ... [facet-name]   what follows of itself is left out: the line of the kernel, the
#         |      ^~~~               note of the table where it has no %0, the count of messages
import pathlib
import re
from typing import NamedTuple

FOLDER = pathlib.Path(__file__).resolve().parent
ROOT = FOLDER.parents[2]
ENTRY = re.compile(
    r'FACET_DIAGNOSTIC\((\w+), "([\w-]+)", (Error|Warning), "((?:[^"\\]|\\.)*)", "((?:[^"\\]|\\.)*)"\)'
)
GROUP = re.compile(r'FACET_DIAGNOSTIC_GROUP\("([^"]*)"\)')
SHORT = {
    "@head": ["#include <facet/dsl.h>", "using namespace facet;", "struct FACET_KERNEL k {",
              "  using Grid = product<real, real, cplx>;"],
    "@dsl": ["#include <facet/dsl.h>", "using namespace facet;"],
    "@kernel": ["struct FACET_KERNEL k {", "  using Grid = product<real, real, cplx>;"],
    "@term": ["  static cplx term(Grid::q q, const Triangle &t) {"
              " return t.area * cis(dot(q, t.centroid)); }"],
    "@begin": ["  static cplx term(Grid::q q, const Triangle &t) {"],
    "@long": ["constexpr real sum = 1" + " + 1.0" * 1000 + ";"],
    "@finish": ["  static cplx finish(Grid::q q, cplx sum) { return sum; }"],
    "@end": ["  static cplx finish(Grid::q q, cplx sum) { return sum; }", "};"],
}


class Diagnostic(NamedTuple):
    group: str
    id: str
    severity: str
    text: str
    note: str


class Case(NamedTuple):
    name: str
    title: str
    source: list
    said: list

    def expected(self):
        """All that facetc prints of it, without the file's name and without blanks at ends."""
        notes = {one.id: one.note for one in diagnostics() if one.note and "%" not in one.note}
        lines, note = [], None
        for line, following in zip(self.said + [""], self.said[1:] + ["", ""]):
            message = re.match(r"(\d+):\d+: ", line)
            if note and (message or not line):
                lines.append(f"note: {note}")
                note = None
            lines += [line] if line else []
            if message and re.match(r" +\|", following):  # not of the place before again
                echo = re.sub("[\u200b\u202e]", lambda mark: f"<U+{ord(mark[0]):04X}>",
                              self.source[int(message[1]) - 1])  # as Clang shows it
                lines.append(f"{message[1]:>5} | {echo}")
            if message:
                id = re.search(r"\[facet-([\w-]+)\]", line)
                note = notes.get(id[1]) if id else None
        counts = [(sum(f" {kind}: " in line for line in self.said), kind) for kind in ("warning", "error")]
        words = [f"{n} {kind}{'s' if n > 1 else ''}" for n, kind in counts if n]
        return lines + ([" and ".join(words) + " generated."] if words else [])


def diagnostics():
    group, found, lines = "", [], 0
    for line in (ROOT / "codegen/frontend/diagnostics.def").read_text().splitlines():
        if match := GROUP.match(line):
            group = match[1]
        if match := ENTRY.match(line):
            unquote = lambda text: text.replace('\\"', '"')
            found.append(Diagnostic(group, match[2], match[3], unquote(match[4]), unquote(match[5])))
        lines += line.startswith("FACET_DIAGNOSTIC(")
    assert lines == len(found), "an entry of diagnostics.def is not read: one line each, please"
    return found


def whole(lines):
    """The source of a case, with what it need not say."""
    head = [] if re.match(r"@dsl|@head|#include|using", lines[0]) else ["@head"]
    body = ["  }"] if "@begin" in lines and "  }" not in lines else []
    end = [] if {"@end", "};"} & set(lines) else ["@end"]
    return [line for short in head + lines + body + end for line in SHORT.get(short, [short])]


def cases(path):
    for text in re.split(r"^== ", path.read_text(), flags=re.MULTILINE)[1:]:
        head, *lines = text.rstrip("\n").split("\n")
        name, _, title = head.partition(": ")
        end = lines.index("--")
        yield Case(name, title, whole(lines[:end]), lines[end + 1 :])


def every():
    return [case for path in sorted(FOLDER.glob("*.test")) for case in cases(path)]
