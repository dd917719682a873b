"""Names that a kernel file may have for Python's variables."""

from __future__ import annotations

import string
import unicodedata
from collections.abc import Iterable
from itertools import chain, count

#: words of C++ and of the language, which name nothing else
RESERVED = frozenset("""
abs alignas alignof and and_eq asm atan2 atomic auto bitand bitor bool break case catch char cis cism1 class compl concept conj const constexpr continue
cos cplx cross cvec3 decltype default delete detail direction3 do dot double else enum erf erfc exp explicit export expm1 extern facet false finish fixed
fixed3 float for friend goto if i im inline int log long mat3 max mean_cis mean_cism1 min mutable namespace new noexcept norm norm2 not not_eq nullptr
offset3 operator or or_eq origin outer per pi points position3 pow private product protected public re real register requires return scaled select short
signed sin sinc sinc_slope sizeof sqrt static std struct switch template term this throw transpose true try typedef typeid typename union unsigned using
vec3 virtual void volatile wavevector while xor xor_eq Grid Params Record Triangle X Y Z
""".split())


def plain(name: str) -> str:
    """A name in letters a to z, digits and _: Greek letters by their names."""
    letters: list[str] = []
    for letter in name:
        spelled = unicodedata.name(letter, "")
        greek = spelled.startswith("GREEK ") and " LETTER " in spelled
        letters.append(spelled.split(" LETTER ")[1].split()[0].lower() if greek else unicodedata.normalize("NFKD", letter).encode("ascii", "ignore").decode())
    return "".join(letters).strip("_") or "value"


def unused(name: str, taken: Iterable[str]) -> str:
    """The name, or with a number behind it where it means something else."""
    first = plain(name)
    seen = RESERVED | set(taken)
    mark = "_" if first[-1].isdigit() else ""
    tries = chain([first], [f"{first}_"] if first in RESERVED else [], (f"{first}{mark}{k}" for k in count(2)))
    return str(next(each for each in tries if each not in seen))


def letter(taken: Iterable[str]) -> str:
    """A name for what has none in Python: a, b, c, ..."""
    seen = RESERVED | set(taken)
    pairs = (a + b for a in string.ascii_lowercase for b in string.ascii_lowercase)
    return str(next(name for name in (*string.ascii_lowercase, *pairs) if name not in seen))
