"""Runs the commands of docs/kernels.md and draws the result NAME.h5 of each beside this file, small, as kernel_NAME.png; scripts draw their own.

    PATH=$PWD/build/bin:$PATH build/venv/bin/python3 docs/pictures/kernels.py [NAME ...]       default: all; needs numpy, h5py
With `facet` of the same build in PYTHONPATH, for the scripts.
"""
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

PICTURES = Path(__file__).resolve().parent
ROOT = PICTURES.parents[1]
SHOWN = {"magnetic": "_ud"}  # of kernels with outputs by name: which one


def commands():
    """{ name of the picture: its lines of shell }."""
    found = {}
    for block in re.findall(r"^```sh\n(.*?)^```$", (PICTURES.parent / "kernels.md").read_text(), re.M | re.S):
        found[re.search(r"--picture (\w+)\.png", block)[1]] = block
    return found


if __name__ == "__main__":
    for name, block in commands().items():
        if name in (sys.argv[1:] or [name]):
            with tempfile.TemporaryDirectory() as folder:
                (Path(folder) / "examples").symlink_to(ROOT / "examples")
                script = re.sub(r"^python3 ", f"{sys.executable} ", block, flags=re.M)
                subprocess.run(["bash", "-ec", script], cwd=folder, check=True)
                drawn = Path(folder) / f"{name}{SHOWN.get(name, '')}.png"
                if "facet run" in block:
                    plot = ["facet", "plot", f"{name}.h5", "--width", "640", "--height", "552", "-o", f"{name}.png"]
                    subprocess.run(plot, cwd=folder, check=True)
                shutil.copy(drawn, PICTURES / f"kernel_{name}.png")
