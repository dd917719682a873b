#!/usr/bin/env python3
"""Reads assembly, prints the innermost loop that does most arithmetic: what FileCheck looks at.

With an argument, "ps" or "pd", only arithmetic of that precision counts: tables are of the other.
x86 and 64-bit ARM. Stores of a register to its place on the stack carry LLVM's comment "Spill".
"""
import re
import sys


def main():
    kind = sys.argv[1] if len(sys.argv) > 1 else "p[sd]"
    lines = sys.stdin.read().split("\n")
    begins, loops = {}, []
    for i, line in enumerate(lines):
        if label := re.match(r"(\.LBB\d+_\d+):", line):
            begins[label[1]] = i
        jump = re.match(r"\s+(?:j\w+|b\.\w+|cbn?z\s+\w+,)\s+(\.LBB\d+_\d+)", line)
        if jump and jump[1] in begins:
            loops.append((begins[jump[1]], i))
    inner = [a for a in loops if not any(b != a and a[0] <= b[0] and b[1] <= a[1] for b in loops)]
    if not inner:
        sys.exit("inner_loop: no loop in this assembly")
    arm = {"ps": "4s", "pd": "2d"}.get(kind, "(4s|2d)")
    arithmetic = re.compile(rf"\sv?f?n?m(ul|add)\w*{kind}\s|\svfn?m\w+{kind}\s|\sfml[as]\s+v\d+\.{arm}")
    begin, end = max(inner, key=lambda a: sum(bool(arithmetic.search(x)) for x in lines[a[0]:a[1]]))
    for line in lines[begin:end + 1]:
        if re.match(r"\s+[a-z]", line):
            print(line.expandtabs(8).strip())


main()
