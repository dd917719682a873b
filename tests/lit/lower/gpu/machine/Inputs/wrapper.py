"""Writes a script that runs a program with its own arguments: wrapper.py SCRIPT PROGRAM."""
import sys
from pathlib import Path

script = Path(sys.argv[1])
script.write_text(f'#!/bin/sh\nexec "{sys.argv[2]}" "$@"\n')
script.chmod(0o755)
