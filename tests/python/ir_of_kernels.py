"""The IR of a kernel file after the front end, without names of values: what two files are compared by."""
import re
import subprocess

from facet import _core


def ir(file, *options):
    """The text that facetc prints of a kernel file."""
    return subprocess.run([_core.find_facetc(), str(file), "--emit=ir", *options], capture_output=True, text=True, check=True).stdout


def meaning(text, known):
    """What is declared, and what each region yields, with a number for each operation; `known`: operations, which texts share. So what two
    texts mean is the same if it is equal: equal values are one, and names of values, their order and comments are none."""
    declared, values = [], {}
    for line in text.splitlines()[1:]:
        if operation := re.match(r"\s*%(\d+) = (.*)", line):
            form = ordered(re.sub(r"%(\d+)", lambda m: f"#{values[m[1]]}", operation[2]))
            values[operation[1]] = known.setdefault(form, len(known))
        elif not line.strip().startswith("doc "):
            declared.append(re.sub(r"%(\d+)", lambda m: f"#{values[m[1]]}", line))
    return declared


def ordered(form):
    """An operation with operands that commute in the order of their text: the sum of two numbers has the same bits either way."""
    op, rest = form.split(" ", 1)
    operands, kind = rest.split(" : ")
    operands = operands.split(", ")
    most = {"add": 2, "mul": 2, "and": 2, "or": 2, "equal": 2, "fma": 2}.get(op, 0)
    return f"{op} {', '.join(sorted(operands[:most]) + operands[most:])} : {kind}"


def same(first, second):
    """Whether two texts of IR mean the same."""
    known = {}
    return meaning(first, known) == meaning(second, known)
