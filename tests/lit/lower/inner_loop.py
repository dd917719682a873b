#!/usr/bin/env python3
"""Reads assembly, prints the innermost loop that does most arithmetic: what FileCheck looks at.

With an argument, "ps" or "pd", only arithmetic of that precision counts: tables are of the other.
x86, 64-bit ARM with NEON or SVE, RISC-V, PTX and WebAssembly. Stores of a register to its place on the stack carry LLVM's comment "Spill".
"""
import re
import sys

LABEL = re.compile(r"(\.LBB\d+_\d+|\$L__BB\w+):")
JUMP = re.compile(r"\s+(?:j\w+|b\.\w+|cbn?z\s+\w+,|b\w+\s+(?:\w+, )*\w+,)\s+(\.LBB\d+_\d+)|.*\bbra(?:\.uni)?\s+(\$L__BB\w+)")


def arithmetic(kind):
    """Matches a line that multiplies or adds."""
    arm = {"ps": "4s", "pd": "2d"}.get(kind, "(4s|2d)")
    ptx = {"ps": "f32", "pd": "f64"}.get(kind, "f(32|64)")
    sve = {"ps": "s", "pd": "d"}.get(kind, "[sd]")
    wasm = {"ps": "f32x4", "pd": "f64x2"}.get(kind, "f(32x4|64x2)")
    return re.compile(rf"\sv?f?n?m(ul|add)\w*{kind}\s|\svfn?m\w+{kind}\s|\sfml[as]\s+v\d+\.{arm}"
                      rf"|\s(fma|mul|add|sub)\.\S*{ptx}|\smma|\s{wasm}\.(mul|add|sub)"
                      rf"|\sf(ml[as]|n?mad|msb|mul|add|sub)\s+z\d+\.{sve}|\svf(n?m(acc|sac|add|sub)|mul|add|sub)\.v")


def main():
    lines = sys.stdin.read().split("\n")
    begins, loops, begun = {}, [], []
    for i, line in enumerate(lines):
        if label := LABEL.match(line):
            begins[label[1]] = i
        if (jump := JUMP.match(line)) and (jump[1] or jump[2]) in begins:
            loops.append((begins[jump[1] or jump[2]], i))
        if line.split()[:1] == ["loop"]:  # WebAssembly says where loops end
            begun.append(i)
        elif line.split() == ["end_loop"]:
            loops.append((begun.pop(), i))
    inner = [a for a in loops if not any(b != a and a[0] <= b[0] and b[1] <= a[1] for b in loops)]
    if not inner:
        sys.exit("inner_loop: no loop in this assembly")
    counts = arithmetic(sys.argv[1] if len(sys.argv) > 1 else "p[sd]")
    begin, end = max(inner, key=lambda a: sum(bool(counts.search(x)) for x in lines[a[0]:a[1]]))
    for line in lines[begin:end + 1]:
        if re.match(r"\s+[@%a-z{}]", line):
            print(line.expandtabs(8).strip())


main()
