"""Finds the inner loop in disassembled machine code, counts its instructions."""
import re
from collections import Counter

# Class: how the instruction's name begins. The first that fits counts.
CLASSES = [
    ("MMA", ("DMMA", "HMMA", "HGMMA", "IMMA")),
    ("FFMA", ("FFMA", "FMUL", "FADD", "HFMA2", "HADD2", "HMUL2", "FSWZADD")),
    ("DFMA", ("DFMA", "DMUL", "DADD", "DSETP", "DMNMX")),
    ("MUFU", ("MUFU",)),
    ("convert64", ("F2F", "I2F.F64", "F2I.F64", "F2I.S64", "I2F.S64")),
    ("LDS", ("LDS", "STS", "LDSM")),
    ("LDG", ("LDG", "STG", "LDC", "ULDC", "LD.", "ST.")),
    ("LDL", ("LDL", "STL")),
    ("integer", ("IADD", "IMAD", "LOP", "SHF", "LEA", "ISETP", "FMNMX", "FSETP", "FSEL", "SEL", "IMNMX", "PRMT", "PLOP",
                 "SHL", "SHR", "FCHK", "I2F", "F2I", "FRND", "IABS")),
]


def classify(name):
    return next((c for c, starts in CLASSES if name.startswith(starts)), "other")


def code(text):
    """{kernel: [(labels before it, instruction)]} of nvdisasm's text."""
    kernels, current, labels = {}, None, []
    for line in text.split("\n"):
        if begin := re.match(r"\.text\.([\w$]+):", line):
            current, labels = kernels.setdefault(begin[1], []), []
        elif label := re.match(r"(\.L_x_\d+):", line):
            labels.append(label[1])
        elif current is not None and (op := re.match(r"\s+/\*[0-9a-f]+\*/\s+(.*?)\s*;", line)):
            current.append((labels, op[1]))
            labels = []
    return kernels


def name_of(instruction):
    """FFMA of `@!P0 FFMA R1, ...`."""
    return re.match(r"(?:@!?U?P\w+\s+)?(\S+)", instruction)[1]


def loops(lines):
    """(first, last) of each innermost loop: a branch back with no other between."""
    at = {label: i for i, (labels, _) in enumerate(lines) for label in labels}
    found = []
    for i, (_, op) in enumerate(lines):
        target = re.search(r"BRA\S*\s.*?\((\.L_x_\d+)\)", op)
        if target and at.get(target[1], len(lines)) < i:
            found.append((at[target[1]], i))
    return [a for a in found if not any(b != a and a[0] <= b[0] and b[1] <= a[1] for b in found)]


def weight(names):
    """Instructions of arithmetic: what makes a loop the one that counts."""
    return sum(classify(n) in ("FFMA", "DFMA", "MUFU", "MMA") for n in names)


def inner_loop(text):
    """(kernel, names of its instructions) of the innermost loop with most arithmetic."""
    best = None
    for kernel, lines in code(text).items():
        for first, last in loops(lines):
            names = [name_of(op) for _, op in lines[first:last + 1]]
            if best is None or weight(names) > weight(best[1]):
                best = (kernel, names)
    if best is None:
        raise ValueError("no loop in this machine code")
    return best


def counts(names):
    """Instructions by class."""
    return Counter(classify(n) for n in names)
