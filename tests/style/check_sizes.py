#!/usr/bin/env python3
"""Files a person can read in one sitting: 400 lines."""
import subprocess
import sys
from pathlib import Path

CODE = {".cpp", ".h", ".def", ".py", ".sh", ".cmake", ".fir"}


def main():
    bad = []
    for name in subprocess.run(["git", "ls-files"], capture_output=True, text=True).stdout.split("\n"):
        path = Path(name)
        if not name or not path.is_file():
            continue
        if path.suffix in CODE and (lines := path.read_text().count("\n")) > 400:
            bad.append(f"{name}: {lines} lines, more than 400")
    print("\n".join(bad), end="\n" if bad else "")
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main())
