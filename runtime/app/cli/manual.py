#!/usr/bin/env python3
"""The manual page facet.1, from what facet says of itself.

    manual.py FACET VERSION > facet.1
"""
import re
import subprocess
import sys


def help_of(*command):
    return subprocess.run([facet, *command, "--help"], capture_output=True, text=True, check=True).stdout


def quoted(text):
    lines = [line.replace("\\", "\\e").replace("-", "\\-") for line in text.rstrip().split("\n")]
    return "\n".join("\\&" + line if line[:1] in (".", "'") else line for line in lines)


facet, version = sys.argv[1:3]
whole = help_of()
commands = re.findall(r"^  ([a-z]+) ", whole[whole.index("Subcommands:"):], re.M)
print(f'.TH FACET 1 "" "facet {version}"')
print(".SH NAME\nfacet \\- form factors of meshes from kernels compiled for this machine")
for title, text in [("SYNOPSIS", whole), *((f"facet {name}", help_of(name)) for name in commands)]:
    print(f'.SH "{title.upper() if title == "SYNOPSIS" else title}"\n.nf\n{quoted(text)}\n.fi')
