"""Curves in text: columns q I dI, and canSAS XML."""

from __future__ import annotations

import codecs
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np

from ..errors import Error, warn
from . import widths
from .content import Content
from .unit import factor, told

COMMENT = ("#", "%", "!")
FORTRAN = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+))[dD]([+-]?\d+)")
MARKS = {codecs.BOM_UTF8: "utf-8-sig", codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}


def text_of(file: Path) -> str:
    """In UTF-8, in UTF-16 with its mark, or in Latin-1, which old instruments write."""
    data = file.read_bytes()
    for mark, name in MARKS.items():
        if data.startswith(mark):
            return data.decode(name, errors="replace")
    if b"\0" in data:
        raise Error(f"{file}: has bytes that are 0, and is no text in UTF-8\n  help: save it as text; UTF-16 needs its mark at the beginning")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("latin-1")


class _Table:
    """The rows of a text, where they stand, and what the lines about them say."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.rows: list[list[float]] = []
        self.more: list[list[str]] = []  # words of the rows' other columns
        self.numbers: list[int] = []  # of the rows' lines
        self.headings: list[str] = []
        self.columns = 0  # of the file's rows
        self._names: list[list[str]] = []
        self._alone: tuple[int, list[str]] | None = None  # a line before the table that says how many rows it has
        self._after: tuple[int, str] | None = None  # the first line of words after the rows
        for number, line in enumerate(text_of(file).splitlines(), 1):
            self._take(number, line)
        self._check_count()

    def _take(self, number: int, line: str) -> None:
        words = _words(line)
        if not words or line.lstrip()[:1] in COMMENT or _is_heading(words):
            if words and self.rows and line.lstrip()[:1] not in COMMENT and self._after is None:
                self._after = (number, line)
            if not self.rows:
                self._names.append(words)
            self.headings.append(line)
            return
        if self._after is not None:
            at, text = self._after
            raise Error(f"{self.file}:{at}: no numbers: {text.strip()[:60]}\n  help: give columns q I dI, and begin headings with #")
        if not self.rows and self._alone is None and len(words) == 1 and words[0].isdigit():
            self._alone = (number, words)
            return
        try:
            row = [number_of(word) for word in words[:3]]
        except ValueError:
            raise Error(f"{self.file}:{number}: no numbers: {line.strip()[:60]}\n"
                        "  help: give columns q I dI, and begin headings with #") from None
        if not self.rows:
            self.columns = len(words)
            _check_headings(self._names, len(words), self.file)
        self.rows.append(row)
        self.more.append(words[3:])
        self.numbers.append(number)
        if len(row) != len(self.rows[0]) or len(row) < 2:
            raise Error(f"{self.file}:{number}: {len(row)} columns, {len(self.rows[0])} in the first row\n  help: give columns q I dI")

    def _check_count(self) -> None:
        """A number alone before the table must be that of its rows."""
        if self._alone is not None and int(self._alone[1][0]) != len(self.rows):
            raise Error(f"{self.file}:{self._alone[0]}: a number alone, {self._alone[1][0]}, and {len(self.rows)} rows follow\n"
                        "  help: begin what is no row with #")
        if not self.rows:
            raise Error(f"{self.file}: no numbers\n  help: give columns q I dI")
        first = self.rows[0]
        if len(self.rows) > 2 and self.columns == 2 and first == [len(self.rows) - 1, 2] and first[0] > self.rows[-1][0]:
            del self.rows[0], self.numbers[0], self.more[0]


    def named(self) -> list[str]:
        """What a heading calls the columns after dI, as far as these are widths."""
        for words in self._names:
            names = _column_names(words)
            if len(names) == self.columns:
                return [widths.NAMES.get(name, "") for name in names[3:]]
        return []

    def resolution(self, asked: list[str] | None) -> dict[str, Any]:
        """The columns after dI that are widths: those that are asked for, or else are called so."""
        names = self.named() if asked is None else asked
        if self.columns > 3 and asked is None and not any(names):
            warn(f"{self.file}: of {self.columns} columns q I dI are read; a resolution dQ in the others is left out\n"
                 '  help: resolution="dq" says that the fourth is sigma of q, "none" that it is not')
        if len(names) > max(0, self.columns - 3):
            raise Error(f"{self.file}: has {self.columns} columns, and {', '.join(names)} are asked for after q I dI\n  help: resolution=\"none\"")
        found: dict[str, Any] = {}
        for k, name in enumerate(names):
            try:
                found |= {name: np.array([number_of(words[k]) for words in self.more])} if name else {}
            except (ValueError, IndexError):
                at = next(n for n, words in zip(self.numbers, self.more) if len(words) <= k or not _is_number(words[k]))
                raise Error(f"{self.file}:{at}: {name} is no number\n  help: resolution=\"none\" reads it without") from None
        return found


def columns(file: Path, unit: str, counts: bool, asked: list[str] | None) -> Content:
    """q, I and, where there is a third column, dI; an Error if a heading calls the columns otherwise."""
    found = _Table(file)
    table = np.array(found.rows)
    resolution = found.resolution(asked)
    errors = table[:, 2] if table.shape[1] > 2 and not counts else None
    absent = ~np.isfinite(table[:, 1]) | (False if errors is None else ~np.isfinite(errors))
    for number, q in zip(found.numbers, table[:, 0]):
        if not np.isfinite(q):
            raise Error(f"{file}:{number}: q is {q}\n  help: take the row out")
    if absent.any():
        lines = [str(number) for number, is_absent in zip(found.numbers, absent) if is_absent]
        warn(f"{file}:{lines[0]}: NaN or infinite; {len(lines)} of {len(table)} rows are left out, of the lines {', '.join(lines[:10])}"
             f"{', ..' if len(lines) > 10 else ''}")
    size = told(found.headings, unit, file)
    return Content(table[:, 1], errors, absent, counts, file.name, q=table[:, 0] * size,
                   resolution=widths.of_file(resolution, size, absent, file))


def number_of(word: str) -> float:
    """As float(), with Fortran's 1.0D-03, without Python's own 1_000."""
    if "_" in word:
        raise ValueError(word)
    return float(FORTRAN.sub(r"\1e\2", word) if FORTRAN.fullmatch(word) else word)


def _words(line: str) -> list[str]:
    """The words of a line, between semicolons, commas or spaces; where semicolons part them, a comma is that of a decimal."""
    if ";" in line:
        line = line.replace(",", ".")
    mark = next((mark for mark in ";," if mark in line), None)
    words = [word.strip().strip('"') for word in line.split(mark)]
    while words and not words[-1]:
        words.pop()
    return words


def _is_heading(words: list[str]) -> bool:
    """Whether a line begins with no number; but without a letter, amid numbers, its first is one that is absent."""
    others = [word for word in words if not _is_number(word)]
    return not _is_number(words[0]) and (len(others) == len(words) or any(c.isalpha() for c in "".join(others)))


def _is_number(word: str) -> bool:
    try:
        number_of(word)
    except ValueError:
        return False
    return True


def _check_headings(headings: list[list[str]], columns: int, file: Path) -> None:
    """An Error if one has as many names as there are columns, of which q, I, dI are others than the first."""
    for words in headings:
        names = _column_names(words)
        at = [names.index(name) for name in ("q", "i", "di") if name in names]
        if len(names) == columns and (at != list(range(len(at))) or not names[0] or {"qx", "dq"} & set(names[:3])):
            raise Error(f"{file}: its columns are called {', '.join(words)}\n"
                        "  help: give q I dI as the first columns (of pandas: to_csv(columns=[\"q\", \"I\", \"dI\"], index=False))")


def _column_names(words: list[str]) -> list[str]:
    """In lower case, without units."""
    told = [word.lstrip("#%! ") for word in words if not word or word.strip("#%!")]
    return [re.split(r"[(\[/\s]", word)[0].lower() for word in told if word[:1] not in ("(", "[")]


def xml(file: Path, unit: str, counts: bool, asked: list[str] | None) -> Content:
    """The one curve of a canSAS file."""
    try:
        root = ElementTree.fromstring(file.read_bytes())
    except ElementTree.ParseError as failure:
        raise Error(f"{file}: no XML that can be read ({failure})\n  help: give canSAS XML, NXcanSAS or text") from None
    for element in root.iter():
        element.tag = str(element.tag).rpartition("}")[2]
    curves = list(root.iter("SASdata"))
    if root.tag != "SASroot" or len(curves) != 1:
        found = f"holds {len(curves)} curves (SASdata)" if root.tag == "SASroot" else f"is XML of <{root.tag}>, not of canSAS <SASroot>"
        raise Error(f"{file}: {found}\n  help: save one curve alone, or give columns q I dI as text")
    points = list(curves[0].iter("Idata"))
    if not points:
        raise Error(f"{file}: has no points (Idata)\n  help: canSAS XML has Q, I and Idev in each Idata")
    q, values, errors = (_column(points, name, file) for name in ("Q", "I", "Idev"))
    if q is None or values is None:
        raise Error(f"{file}: a point has no {'Q' if q is None else 'I'}\n  help: canSAS XML has Q, I and Idev in each Idata")
    names = {widths.NAMES[name.lower()]: name for name in ("Qdev", "dQl", "dQw") if asked is None or widths.NAMES[name.lower()] in asked}
    resolution = {key: column for key, name in names.items() if (column := _column(points, name, file)) is not None}
    units = {(point.find("Q").attrib.get("unit") or "").strip() for point in points}  # type: ignore[union-attr]
    if len(units) > 1:
        raise Error(f"{file}: its points state q in {' and '.join(map(repr, sorted(units)))}\n  help: write one unit")
    stated = units.pop()
    size = factor(stated, str(file)) if stated else told([], unit, file)
    absent = ~np.isfinite(values) | (False if errors is None else ~np.isfinite(errors))
    if absent.any():
        warn(f"{file}: {np.count_nonzero(absent)} of {len(values)} points are NaN or infinite, and are left out")
    return Content(values, None if counts else errors, absent, counts, file.name, q=q * size,
                   resolution=widths.of_file(resolution, size, absent, file))


def _column(points: list[Any], name: str, file: Path) -> Any:
    """The numbers of that name, one a point; None where no point has one."""
    found = [point.find(name) for point in points]
    if all(one is None for one in found):
        return None
    try:
        return np.array([number_of((one.text or "").strip()) for one in found])
    except (AttributeError, ValueError):
        at = next(k for k, one in enumerate(found) if one is None or not _is_number((one.text or "").strip()))
        raise Error(f"{file}: point {at + 1}: {name} is no number\n  help: give each Idata a {name}, or none") from None
