#!/usr/bin/env python3
"""Files a person can read in one sitting: 600 lines."""
import sys
from pathlib import Path

import tree

CODE = (".cpp", ".h", ".def", ".py", ".sh", ".cmake", ".fir")
sizes = {name: Path(name).read_text().count("\n") for name in tree.files() if name.endswith(CODE)}
sys.exit(tree.faults([f"{name}: {lines} lines, more than 600" for name, lines in sizes.items() if lines > 600]))
