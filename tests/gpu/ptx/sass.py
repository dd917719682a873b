"""Finds the inner loop in disassembled machine code, counts its instructions, predicts throughput."""
import re
from collections import Counter

# Class: how the instruction's name begins. The first that fits counts. Lanes and rates: devices.toml.
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


def stage(lines, passes):
    """Names of all a thread does for one stage of tables: the innermost loop around the main one, its loops repeated.

    passes: of a loop's names, its passes.
    """
    inner = loops(lines)
    first, last = max(inner, key=lambda a: weight([name_of(op) for _, op in lines[a[0]:a[1] + 1]]))
    at = {label: i for i, (labels, _) in enumerate(lines) for label in labels}
    around = []
    for i, (_, op) in enumerate(lines):
        target = re.search(r"BRA\S*\s.*?\((\.L_x_\d+)\)", op)
        if target and at.get(target[1], len(lines)) < first and i > last:
            around.append((at[target[1]], i))
    begin, end = min(around, key=lambda a: a[1] - a[0])
    names = [name_of(op) for _, op in lines]
    bodies = [names[a:b + 1] for a, b in inner if begin <= a and b <= end]
    once, done = [], begin
    for a, b in sorted(x for x in inner if begin <= x[0] and x[1] <= end):
        once += names[done:a]
        done = b + 1
    once += names[done:end + 1]
    return once + [name for body in bodies for name in body * passes(body, once)]


def counts(names):
    """Instructions by class."""
    return Counter(classify(n) for n in names)


def mma_fma(name):
    """(row of devices.toml, multiply-adds of one matrix instruction), as DMMA.8x8x4, HMMA.1688.F32.TF32."""
    kind = "DMMA" if name.startswith("DMMA") else "TF32" if "TF32" in name else "HMMA"
    if shape := re.search(r"\.(\d+)x(\d+)x(\d+)", name):
        m, n, k = (int(x) for x in shape.groups())
    elif shape := re.search(r"\.(16|8)(8)(16|32|8|4)\b", name):
        m, n, k = (int(x) for x in shape.groups())
    else:
        raise ValueError(f"shape of {name} is not known")
    return kind, m * n * k


def clocks(names, device):
    """{what: clocks of a multiprocessor for one pass of one warp}: the largest bounds the loop."""
    n, lanes = counts(names), device["lanes"]
    took = {
        "issue": len(names) / device["sub_partitions"],
        "FP32": 32 * n["FFMA"] / lanes["fp32"],
        "integer": 32 * n["integer"] / lanes["integer"],
        "FP64": 32 * n["DFMA"] / lanes["fp64"],
        "conversions": 32 * n["convert64"] / lanes["convert64"],
        "MUFU": 32 * (n["MUFU"] + n["convert64"]) / lanes["mufu"],
        "shared memory": 32 * n["LDS"] / lanes["shared"],
        "tensor": 0.0,
    }
    for name in names:
        if classify(name) == "MMA":
            kind, fma = mma_fma(name)
            took["tensor"] += fma / device["fma"][kind]
    return took


def predict(names, device, tqp):
    """(TQP/s without stalls, what bounds them); tqp: triangle-q-points a thread does in one pass."""
    took = clocks(names, device)
    bound = max(took, key=took.get)
    return device["multiprocessors"] * device["clock"] * 32 * tqp / took[bound], bound
