"""lit set-up: which files are tests, and the programs and places they name.

facetc, facet, FileCheck, not and split-file are written plainly. Others:

    %source         the repository
    %ptx_driver     a driver of CUDA that interprets its kernels (tests/gpu/interpreter)
    %oclgrind       Oclgrind's OpenCL
    %new_machine    facet with the made-up CPU of tests/new_machine
    %unfreed        below
    %cxx, %python   the C++ compiler, the Python that lit runs under
    %kernels        kernels.py
    %kills          how often a run that goes on is killed
    %in_group       tests/support/in_group.py

Features: x86_64 (aarch64, ...), avx2, avx512, facet, nvcc, opencl, oclgrind, mpirun, memory_limits, memory_groups.
"""
import os
import platform
import re
import shutil
import subprocess
import sys

import lit.formats

if not hasattr(config, "facet_tools"):
    lit_config.fatal("run lit on the build folder: lit BUILD/tests/lit, or the target check-one")

config.name = "facet"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".fir", ".cpp", ".test"]
config.excludes = ["Inputs"]
config.test_source_root = os.path.dirname(__file__)

for name, path in config.facet_tools.items():
    # A word of its own: not part of a path, an option or another name.
    config.substitutions.append((rf"(?<![\w/.%-]){re.escape(name)}(?![\w/.-])", path))
config.substitutions += [
    ("%source", config.facet_source),
    ("%cxx", config.facet_cxx),
    ("%ptx_driver", config.facet_ptx_driver),
    ("%oclgrind", config.facet_oclgrind),
    ("%new_machine", f"env FACETC={config.facet_tools['facetc_new_machine']} LD_PRELOAD={config.facet_new_machine} {config.facet_tools['facet']}"),
    ("%kernels", f"{sys.executable} {os.path.join(config.test_source_root, 'kernels.py')} {config.facet_tools['FileCheck']}"),
    ("%python", sys.executable),
]

config.environment["FACET_CACHE"] = os.environ.get(
    "FACET_CACHE", os.path.join(config.test_exec_root, "cache"))
# A machine profile of the tests' own: the planner keeps what it measures there.
config.environment["FACET_PROFILE"] = os.path.join(config.test_exec_root, "machine.toml")
# Schedules of the user's own, and those that come with facet, are for tests that name them.
config.environment["FACET_SCHEDULES"] = ""
config.environment["LC_ALL"] = "C.UTF-8"
for name in ("ASAN_OPTIONS", "LSAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS", "HL_COMPILER_STACK_SIZE"):
    if name in os.environ:
        config.environment[name] = os.environ[name]

# Sanitizers reserve more addresses than there are: memory cannot be limited. %unfreed: for what leaves memory in libraries that are closed.
if config.facet_sanitize:
    config.environment["FACET_SANITIZE"] = config.facet_sanitize
    config.substitutions.append(("%unfreed", f"ASAN_OPTIONS={os.environ.get('ASAN_OPTIONS', '')}:detect_leaks=0"))
else:
    config.available_features.add("memory_limits")
    config.substitutions.append(("%unfreed", ""))
    in_group = [sys.executable, os.path.join(config.facet_source, "tests", "support", "in_group.py")]
    if subprocess.run([*in_group, "400", "true"], capture_output=True).returncode == 0:  # this machine lets groups be made
        config.available_features.add("memory_groups")
    config.substitutions.append(("%in_group", " ".join(in_group)))

config.available_features.add(platform.machine())
full = os.environ.get("FACET_FULL_TESTS") == "1"
if full:
    config.available_features.add("full_tests")
config.substitutions.append(("%kills", "10" if full else "2"))
# PoCL comes with .ci/setup.sh: tests of devices fail without it, unless they are to be left out.
if os.environ.get("FACET_TEST_WITHOUT_OPENCL") != "1":
    config.available_features.add("opencl")
if os.path.exists(config.facet_oclgrind):
    config.available_features.add("oclgrind")
if shutil.which("mpirun") and not config.facet_sanitize:  # Open MPI leaves memory that no suppression can name
    config.available_features.add("mpirun")
    config.environment["OMPI_ALLOW_RUN_AS_ROOT"] = config.environment["OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"] = "1"
    # Each with a folder of its own: of two that begin and end at once one removes what Open MPI keeps for all of a user's.
    launcher = os.path.join(config.test_exec_root, "mpi", "mpirun")
    os.makedirs(os.path.dirname(launcher), exist_ok=True)
    with open(launcher + ".new", "w") as script:
        script.write('#!/bin/sh\nown=$(mktemp -d "$0.XXXXXX")\nexport OMPI_MCA_orte_tmpdir_base="$own" OMPI_MCA_btl_vader_backing_directory="$own"\n'
                     f'exec {shutil.which("mpirun")} "$@"\n')
    os.chmod(script.name, 0o755)
    os.replace(script.name, launcher)
    config.environment["PATH"] = os.path.dirname(launcher) + os.pathsep + config.environment["PATH"]
nvcc = shutil.which("nvcc") or shutil.which("nvcc", path="/usr/local/cuda/bin")
if nvcc:
    config.available_features.add("nvcc")
    config.substitutions.append(("%nvcc", nvcc))
with open("/proc/cpuinfo") as cpuinfo:
    flags = set(next((line for line in cpuinfo if line.startswith("flags")), "").split())
if {"avx2", "fma"} <= flags:
    config.available_features.add("avx2")
if {"avx512f", "avx512bw", "avx512dq", "avx512vl"} <= flags:
    config.available_features.add("avx512")
if os.path.exists(config.facet_tools["facet"]):
    config.available_features.add("facet")
