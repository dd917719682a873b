#!/usr/bin/env python3
"""Reads PTX, prints the innermost loop that does most arithmetic: what FileCheck looks at."""
import re
import sys


def main():
    lines = sys.stdin.read().split("\n")
    begins, loops = {}, []
    for i, line in enumerate(lines):
        if label := re.match(r"(\$L__BB\w+):", line):
            begins[label[1]] = i
        jump = re.search(r"\bbra(?:\.uni)?\s+(\$L__BB\w+)", line)
        if jump and jump[1] in begins:
            loops.append((begins[jump[1]], i))
    inner = [a for a in loops if not any(b != a and a[0] <= b[0] and b[1] <= a[1] for b in loops)]
    if not inner:
        sys.exit("inner_loop: no loop in this PTX")
    begin, end = max(inner, key=lambda a: sum(bool(re.search(r"\s(fma|mul|add|sub)\.\S*f(32|64)|\smma", x))
                                              for x in lines[a[0]:a[1]]))
    for line in lines[begin + 1:end + 1]:
        if line.strip() and not line.strip().startswith("//"):
            print(line.expandtabs(8).strip())


main()
