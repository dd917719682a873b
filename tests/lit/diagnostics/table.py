# table.py - reads codegen/frontend/diagnostics.def and the tests that show its messages.
import pathlib
import re
from typing import NamedTuple

FOLDER = pathlib.Path(__file__).resolve().parent
ROOT = FOLDER.parents[2]
ENTRY = re.compile(
    r'FACET_DIAGNOSTIC\((\w+), "([\w-]+)", (Error|Warning), "((?:[^"\\]|\\.)*)", "((?:[^"\\]|\\.)*)"\)'
)
GROUP = re.compile(r'FACET_DIAGNOSTIC_GROUP\("([^"]*)"\)')


class Diagnostic(NamedTuple):
    group: str
    id: str
    severity: str
    text: str
    note: str


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


def tests():
    return sorted(FOLDER.glob("*/*.cpp"))


def expected(test):
    """The lines a test expects, without the CHECK prefix."""
    lines = re.findall(r"^// CHECK(?:-NEXT)?:(.*)$", test.read_text(), re.MULTILINE)
    return [re.sub(r"{{.*?}}", "", line) for line in lines]
