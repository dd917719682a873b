#!/usr/bin/env python3
"""Files a person can read in one sitting, 600 lines; and none that was added unseen: of what is drawn or stored at most 1 MB."""
import sys
from pathlib import Path

import tree

CODE = (".cpp", ".h", ".def", ".py", ".sh", ".cmake", ".fir")
MOST = 1_000_000
sizes = {name: Path(name).read_text().count("\n") for name in tree.files() if name.endswith(CODE)}
large = {name: Path(name).stat().st_size for name in tree.files() if Path(name).stat().st_size > MOST}
sys.exit(tree.faults([f"{name}: {lines} lines, more than 600" for name, lines in sizes.items() if lines > 600]
                     + [f"{name}: {count} bytes, more than {MOST}" for name, count in large.items()]))
