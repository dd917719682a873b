#!/usr/bin/env python3
"""Every C++ file is as clang-format 19 writes it. `check_format.py --fix` rewrites them."""
import subprocess
import sys

import tree

mode = ["-i"] if "--fix" in sys.argv else ["--dry-run", "-Werror"]
sys.exit(subprocess.run(["clang-format-19", *mode, *tree.cxx()]).returncode)
