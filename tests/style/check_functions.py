#!/usr/bin/env python3
"""A function has at most 40 lines between its braces.

Those of long_functions.txt are longer, most of them one switch; the list shall only become shorter.
`check_functions.py --list` prints what it would hold.
"""
import re
import sys
from pathlib import Path

import tree

MOST = 40
LIST = Path(__file__).with_name("long_functions.txt")
# What opens a brace at the beginning of a line and is no function.
OTHER = re.compile(r'(namespace|struct|class|enum|union|extern|else|if|for|while|switch|do|try|case|default|return|using)\b')


def without_raw_strings(text):
    return re.sub(r'R"(\w*)\((.*?)\)\1"', lambda m: '""' + "\n" * m[2].count("\n"), text, flags=re.S)


def functions(text):
    """(first line of the body, lines of it, name) of each function that clang-format has laid out."""
    lines = without_raw_strings(text).split("\n")
    at = 0
    while at < len(lines):
        first = at
        while first > 0 and lines[at].endswith("{") and lines[first - 1] and not re.search(
                r"[;{}:]$|^\s*//|^#", lines[first - 1]):
            first -= 1
        head = " ".join(line.strip() for line in lines[first:at + 1])
        indent = re.match(" *", lines[first])[0]
        name = re.search(r"([\w:~]+|operator[^\w\s]+) ?\(", head)
        if (not lines[at].endswith("{") or len(indent) > 4 or not name or OTHER.match(head)
                or re.search(r"(=|\[[^\]]*\]) ?[({\[]", head[:name.end()])):
            at += 1
            continue
        end = next((i for i in range(at + 1, len(lines)) if lines[i].startswith(indent + "}")), len(lines))
        yield at + 1, end - at - 1, name[1]
        at = end


def main():
    known, bad, found, long = set(LIST.read_text().splitlines()), [], 0, set()
    for file in tree.cxx():
        for line, size, name in functions(Path(file).read_text()):
            found += 1
            if size <= MOST:
                continue
            long.add(f"{file} {name}")
            if f"{file} {name}" not in known:
                bad.append(f"{file}:{line}: {name} has {size} lines, more than {MOST}")
    if "--list" in sys.argv:
        print("\n".join(sorted(long)))
        return 0
    bad += [f"{LIST.name}: {name} is not longer than {MOST} lines now: take it off the list" for name in sorted(known - long)]
    return tree.faults(bad) or found < 1000


if __name__ == "__main__":
    sys.exit(main())
