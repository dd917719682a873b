#!/usr/bin/env python3
"""Builds facet with sanitizers and runs the suites under them: address and undefined (preset asan), then thread (tsan).

    run.py [asan] [tsan] [--full] [SUITE ...]     both presets and all of their suites, where none is named

The presets, with the options of the sanitizers, are in CMakePresets.json:

- use_sigaltstack=0: LLVM gives its threads signal stacks of its own;
- intercept_tls_get_addr=0: LeakSanitizer crashes on thread-local memory of libraries that PoCL's threads opened;
- HL_COMPILER_STACK_SIZE=0: Halide would compile on a stack that AddressSanitizer does not know;
- ignore_noninstrumented_modules=1: Halide's runtime in kernel libraries, and PoCL, pass what one thread has set up to another by
  atomics that ThreadSanitizer does not see.

What is suppressed, of other people's libraries alone, is in leak.supp and thread.supp. What is left out, and why:
"""
import json
import os
import subprocess
import sys
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
# The program says it too, so that nobody takes a clean run for more than it is.
LEFT_OUT = """\
style, package          nothing of facet's runs in them; the package's project is built without the sanitizers that the library would ask for
python                  the wheel's tests, which build a wheel without sanitizers; leaks, since an interpreter keeps memory to its end; tsan
unit-faults             its shim must be preloaded before all else, as a sanitizer's library must
benchmarks, rivals      they measure, and nothing of them is in facet
kernels                 sums that facetc writes are not instrumented (padding of 16 doubles behind the arrays of tests is what shows reads beyond), nor
                        are LLVM, Halide, DUCC, HDF5, PoCL, Open MPI, which are as Debian and PyPI build them
ranks                   leaks of unit-mpi, and lit's tests under mpirun: Open MPI leaves memory in libraries that it has closed, which no suppression can name
devices                 leaks of cuda, device_gradient, random_kernels (some on CUDA), unit-gpu, unit-tensor-launch and lit's run/device/cuda: Halide's runtime leaves what it has listed in libraries
                        that are closed
limits of memory        a sanitizer reserves more addresses than there are (feature memory_limits of lit)
tsan: lit               a command has the threads that unit and property have: of sums, units, devices, ranks, of facetc --serve"""
SUITES = {"asan": ["lit", "unit", "property", "python"], "tsan": ["unit", "property"]}


def environment():
    """What the presets ask of the sanitizers, beside what is set already, and the libraries that an interpreter must have first.

    These are AddressSanitizer's, and C++'s, in which it looks for what it catches."""
    preload = " ".join(subprocess.run(["c++", f"-print-file-name={name}"], capture_output=True, text=True, check=True).stdout.strip()
                       for name in ("libasan.so", "libstdc++.so"))
    presets = json.loads((SOURCE / "CMakePresets.json").read_text())["configurePresets"]
    options = next(p for p in presets if p["name"] == "sanitized")["environment"]
    return {**os.environ, "FACET_PRELOAD": preload, **{name: text.replace("${sourceDir}", str(SOURCE)) for name, text in options.items()}}


def main():
    words = sys.argv[1:]
    presets = [w for w in words if w in SUITES] or list(SUITES)
    asked = [w for w in words if w not in SUITES and w != "--full"]
    print(f"Left out under sanitizers:\n{LEFT_OUT}", flush=True)
    failed = []
    for preset in presets:
        suites = [s for s in asked if s in SUITES[preset]] or SUITES[preset]
        for command in (["cmake", "--preset", preset], ["cmake", "--build", "--preset", preset, "--target", "all", "tests", *(["tests_full"] if "--full" in words else [])],
                        [sys.executable, SOURCE / "tests/run_suites.py", f"build-{preset}", *suites, *(["--full"] if "--full" in words else [])]):
            print(f"{preset}: {' '.join(map(str, command))}", flush=True)
            if subprocess.run(command, cwd=SOURCE, env=environment()).returncode:
                failed.append(preset)
                break
    print("sanitizers: " + (f"failures under {', '.join(failed)}" if failed else f"{', '.join(presets)} clean"))
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
