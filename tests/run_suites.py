#!/usr/bin/env python3
"""Runs every suite, prints the seconds each took, and closes with `N passed, N failed`.

    run_suites.py BUILD [--full] [SUITE ...]     `all`: the suites that run where none is named

A suite is a function that returns (passed, failed names); it must run at least one test.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import time
import xml.etree.ElementTree as xml
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import sanitize.run as sanitizers

SOURCE = Path(__file__).resolve().parent.parent


WORKERS = 3  # of two cores: a fifth of the time tests wait for what they have started or stopped
NOT_RUN = []


def not_run(what):
    NOT_RUN.append(what)
    print(f"  not run here: {what}")


def lit(build):
    """Compiler and command-line tests: lit and FileCheck."""
    report = build / "lit.json"
    report.unlink(missing_ok=True)
    subprocess.run(["lit", "-q", f"-j{WORKERS}", "--no-progress-bar", "--output", report, build / "tests/lit"])
    tests = json.loads(report.read_text())["tests"] if report.exists() else []
    good = ("PASS", "XFAIL")
    bad = [t["name"] for t in tests if t["code"] not in good + ("UNSUPPORTED",)]
    for t in tests:
        if t["code"] == "UNSUPPORTED":
            not_run(t["name"])
        if t["name"] in bad:
            print(f"{t['name']}:\n{t['output'][-6000:]}")
    return sum(t["code"] in good for t in tests), bad


def ctest(build, name, *which, env=None):
    report = build / f"ctest-{name}.xml"
    report.unlink(missing_ok=True)
    subprocess.run(["ctest", "--test-dir", build, *which, "-j2", "--output-on-failure", "--test-output-size-passed", "1000000",
                    "-Q", "--output-junit", report.resolve()], env=env)
    cases = xml.parse(report).getroot().findall("testcase") if report.exists() else []
    ran = []
    for case in cases:
        said = case.findtext("system-out") or ""
        skipped = re.findall(r"Skipped\n(.*)\n+\[  SKIPPED \] ([^\s,]+)", said)
        for reason, test in skipped:
            not_run(f"{case.get('name')}: {test}: {reason}")
        # A program has run where one of its tests has.
        if not skipped or "[       OK ]" in said or "[  FAILED  ]" in said:
            ran.append(case)
    bad = [c.get("name") for c in ran if c.get("status") != "run"]
    log = build / "Testing/Temporary/LastTest.log"
    if bad and log.exists():
        print(log.read_text(errors="replace")[-6000:])
    return len(ran) - len(bad), bad


def unit(build):
    """GoogleTest programs: IR, passes, kernels against references, runtime."""
    return ctest(build, "unit", "-LE", "^(property|property-full|package)$")


def property(build):
    """Random kernels, meshes and grids: reference, IR, passes and targets agree."""
    return ctest(build, "property", "-L", "^property(-full)?$" if os.environ["FACET_FULL_TESTS"] == "1" else "^property$")


def package(build):
    """The installed package, used by a CMake project of its own."""
    return ctest(build, "package", "-L", "^package$")


SHORT_AND_SLOW = ("test_wheel", "test_notebooks", "test_shape_recovery")


def python(build):
    """The Python package: some files at a time, those first that are short and take long, then by their size."""
    reports = build / "pytest"
    shutil.rmtree(reports, ignore_errors=True)
    environment, sanitized = {**os.environ, "FACET_BUILD": str(build)}, os.environ.get("FACET_PRELOAD")  # by tests/sanitize/run.py
    if sanitized:
        environment |= {"LD_PRELOAD": sanitized, "ASAN_OPTIONS": os.environ["ASAN_OPTIONS"] + ":detect_leaks=0"}

    def run(file):
        report = reports / f"{file.stem}.xml"
        done = subprocess.run([sys.executable, "-m", "pytest", "-q", "--tb=short", "--no-header", "-p", "no:cacheprovider", f"--junitxml={report}",
                               file], env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode:
            print(done.stdout, end="", flush=True)
        return report

    files = sorted((SOURCE / "tests/python").glob("test_*.py"), key=lambda file: (file.stem not in SHORT_AND_SLOW, -file.stat().st_size))
    files = [file for file in files if not (sanitized and file.stem == "test_wheel")]
    with ThreadPoolExecutor(WORKERS) as pool:
        written = list(pool.map(run, files))
    bad = [f"{report.stem}: pytest did not end" for report in written if not report.exists()]
    cases = [case for report in written if report.exists() for case in xml.parse(report).getroot().iter("testcase")]
    for case in cases:
        if (skipped := case.find("skipped")) is not None:
            not_run(f"{case.get('name')}: {skipped.get('message')}")
    ran = [c for c in cases if c.find("skipped") is None]
    failed = [f"{c.get('classname')}.{c.get('name')}" for c in ran if c.find("failure") is not None or c.find("error") is not None]
    return len(ran) - len(failed), bad + failed


def style(build):
    """Arrows between folders, sizes, formatting, generated docs."""
    passed, bad = 0, []
    for check in sorted((SOURCE / "tests/style").glob("check_*.py")):
        done = subprocess.run([sys.executable, check], cwd=SOURCE)
        passed += done.returncode == 0
        bad += [check.name] if done.returncode else []
    return passed, bad


# By preset, its sanitizer, and programs of `unit`: the runtime's own, those that need no facetc, and every reader with its corpus; of threads
# those that have several.
SANITIZED = {"asan-quick": ("address", ("run", "device", "readers", "files", "physics", "detector", "average", "scene_file", "scene_units", "schema",
                                        "quadrature")),
             "tsan-quick": ("thread", ("run", "device", "average", "scene_units"))}
# They compute for long, the more so where nothing is optimised.
TOO_SLOW = ("SmallQ.TransformsOfFineMeshesMeetTheContractAtOnce", "Pictures.EveryGridInEveryFormat", "Measured.*Worst",
            "Orientations.NoSymmetryHidesTheErrorOfAboutZ")


def runs_here(sanitizer, build, environment):
    """Whether a program that does nothing runs under the sanitizer: some containers forbid what it asks of the system."""
    program = build / f"probe-{sanitizer}"
    subprocess.run(["clang++-19", f"-fsanitize={sanitizer}", "-x", "c++", "-", "-o", program], input="int main() {}", text=True, check=True)
    return subprocess.run([program], env=environment).returncode == 0


def sanitized(build):
    """What CI has time for of tests/sanitize/run.py: programs of `unit` under clang's sanitizers, not optimised."""
    environment = sanitizers.environment() | {"GTEST_FILTER": "-" + ":".join(TOO_SLOW)}
    passed, bad = 0, []
    for preset, (sanitizer, programs) in SANITIZED.items():
        if not runs_here(sanitizer, build, environment):
            not_run(f"{preset}: programs of this sanitizer do not start or end as they should")
            continue
        log = build / f"{preset}.log"
        with open(log, "w") as out:
            built = all(subprocess.run(command, cwd=SOURCE, env=environment, stdout=out, stderr=out).returncode == 0 for command in (
                ["cmake", "--preset", preset], ["cmake", "--build", "--preset", preset, "--target", *(f"facet_unit_{p}" for p in programs)]))
        if not built:
            print(log.read_text(errors="replace")[-6000:])
            return passed, bad + [f"the build of {preset}"]
        tests = "|".join(programs).replace("_", "-")
        more, failed = ctest(SOURCE / f"build-{preset}", preset, "-R", f"^unit-({tests})$", env=environment)
        passed += more
        bad += [f"{preset}: {name}" for name in failed]
    return passed, bad


SUITES = [style, lit, unit, python, property, package]
IN_CI = [sanitized]  # too long for each test run


def main():
    build = Path(sys.argv[1]).resolve()
    words = sys.argv[2:]
    full = "--full" in words
    named = [w for w in words if w != "--full"] or ["all"]
    usual, known = [s.__name__ for s in SUITES], [s.__name__ for s in SUITES + IN_CI]
    names = {name for word in named for name in (usual if word == "all" else [word])}
    if unknown := names - set(known):
        sys.exit(f"test.sh: no suite {', '.join(sorted(unknown))}; there are {', '.join(known)}")
    os.environ["FACET_CACHE"] = str(build / "test-cache")  # never the user's own
    os.environ["FACET_PROFILE"] = str(build / "test-machine.toml")
    os.environ["FACET_SCHEDULES"] = ""  # the defaults, whatever was tuned here
    os.environ["FACET_FULL_TESTS"] = str(int(full))
    total, failures = 0, []
    for suite in SUITES + IN_CI:
        if suite.__name__ not in names:
            continue
        start = time.monotonic()
        passed, bad = suite(build)
        if passed + len(bad) == 0:
            bad = ["no test was found"]
        print(f"{suite.__name__:9s} {passed:5d} passed {len(bad):3d} failed {time.monotonic() - start:7.1f} s", flush=True)
        total += passed
        failures += [f"{suite.__name__}: {name}" for name in bad]
    for name in failures:
        print(f"FAILED {name}")
    if NOT_RUN:
        print(f"{len(NOT_RUN)} not run here")
    print(f"{total} passed, {len(failures)} failed")
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
