#!/usr/bin/env python3
"""Files a person can read in one sitting, folders a person can take in: 400 lines, 16 entries."""
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

CODE = {".cpp", ".h", ".def", ".py", ".sh", ".cmake", ".fir"}


def main():
    bad, folders = [], defaultdict(set)
    for name in subprocess.run(["git", "ls-files"], capture_output=True, text=True).stdout.split("\n"):
        path = Path(name)
        if not name or not path.is_file():
            continue
        if path.suffix in CODE and (lines := path.read_text().count("\n")) > 400:
            bad.append(f"{name}: {lines} lines, more than 400")
        parts = path.parts
        for depth, part in enumerate(parts):
            if part.startswith("."):
                break
            folders["/".join(parts[:depth]) or "."].add(part)
    bad += [f"{f}: {len(e)} entries, more than 16" for f, e in folders.items() if len(e) > 16]
    print("\n".join(bad), end="\n" if bad else "")
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main())
