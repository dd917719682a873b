"""What facet of aarch64 computes under qemu is what facet of this machine does: kernels, targets, algorithms, indices of materials.

    aarch64.py FOLDER    of aarch64.sh
"""
import os
import subprocess
import sys
from pathlib import Path

import h5py
import numpy as np

FOLDER = Path(sys.argv[1]).resolve()
QEMU = ["qemu-aarch64", "-L", str(FOLDER / "sysroot")]
CPUS = {"neon": "max,sve=off", "sve2_128": "max,sve128=on"}
ENVIRONMENT = {**os.environ, "FACET_PROFILE": str(FOLDER / "machine.toml"), "FACET_SCHEDULES": "", "FACET_CACHE": str(FOLDER / "cache")}
failed = 0


def run(program, kernel, result, *words):
    command = [*program, "run", str(kernel), "--shape", "torus,major=10,minor=4,around=24,tube=12", "--qx=0", "--qy=-1:1:41", "--qz=0.05:1.5:30", "-o", str(result), *words]
    done = subprocess.run(command, capture_output=True, text=True, env=ENVIRONMENT, cwd=FOLDER)
    if done.returncode:
        sys.exit(f"{' '.join(command)}: {done.stderr}{done.stdout}")
    with h5py.File(result) as file:
        return np.array(file["entry/amplitude/F"]), done.stdout


def judge(name, good, text):
    global failed
    failed += not good
    print(f"{'good' if good else 'BAD '}  {name}: {text}")


for kernel in ("born", "exact", "closed"):
    for algorithm in ("direct", "separable", "nufft"):
        wanted, _ = run([str(Path("build/bin/facet").resolve())], Path(f"examples/kernels/{kernel}.cpp").resolve(), FOLDER / "native.h5",
                        "--algorithm=direct", "--class=f64")
        for target, cpu in CPUS.items():
            f, said = run([*QEMU, "-cpu", cpu, str(FOLDER / "build/bin/facet")], FOLDER / f"{kernel}.so", FOLDER / "aarch64.h5", f"--algorithm={algorithm}")
            error = abs(f - wanted).max() / abs(wanted).max()
            judge(f"{kernel}, {algorithm}, {target}", error < 1e-5 and (algorithm == "nufft" or target in said), f"{error:.1e} of max |F| away")
texts = [subprocess.run([*program, "material", "Au", "--energy", "8keV"], capture_output=True, text=True, env=ENVIRONMENT, check=True).stdout
         for program in ([str(Path("build/bin/facet").resolve())], [*QEMU, str(FOLDER / "build/bin/facet")])]
judge("facet material Au", texts[0] == texts[1] and texts[0], texts[1].splitlines()[0])
print(f"{failed} failed")
sys.exit(failed > 0)
