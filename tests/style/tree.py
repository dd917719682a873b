"""The files that checks look at, and how a check ends."""
import subprocess
from pathlib import Path


def files(*patterns):
    """Paths of the tracked files, those that match, if they are there."""
    names = subprocess.run(["git", "ls-files", "-z", *patterns], capture_output=True, text=True).stdout.split("\0")
    return [name for name in names if name and Path(name).is_file()]


def cxx():
    """C++ files but the inputs of lit, which are laid out for their CHECK lines."""
    return [name for name in files("*.cpp", "*.h") if "/lit/" not in name]


def faults(bad):
    """Prints what is wrong; whether anything is."""
    print("\n".join(bad), end="\n" if bad else "")
    return bool(bad)
