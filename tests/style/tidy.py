#!/usr/bin/env python3
"""Runs clang-tidy on C++ files of facet, its tests apart, with the flags that they are compiled with in a build folder.

    tests/style/tidy.py BUILD [--jobs 2] [FILE...]

Without files it takes all that the build folder compiles, for some 35 CPU minutes: so it is no part of test.sh. What it finds is
printed once a place, though many files may include it, and it ends with 1.
"""
import argparse
import json
import re
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOUND = re.compile(r"^(\S+?):\d+:\d+: (?:warning|error): .* \[[a-z]")


def flags_of(command):
    """What says how a file is read, in a compile command."""
    words, kept = shlex.split(command), []
    for before, word in zip([""] + words, words):
        if before == "-isystem" or re.match(r"-(I|D|U|isystem|std=)", word):
            kept.append(word)
    return kept


def sources(build):
    """file: flags. Files that are compiled together have those of the file that includes them."""
    found = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        file = Path(entry["file"])
        inside = re.findall(r'^#include "(.*\.cpp)"', file.read_text(), re.M) if "Unity" in file.parts else [file]
        for each in (ROOT / name for name in inside):
            if each.is_file() and not each.is_relative_to(build) and not each.is_relative_to(ROOT / "tests"):
                found.setdefault(each, flags_of(entry["command"]))
    return found


def findings(file, flags):
    done = subprocess.run(["clang-tidy-19", "--quiet", file, "--", *flags], capture_output=True, text=True)
    lines = done.stdout.splitlines()
    if done.returncode and not any(map(FOUND.match, lines)):
        return [f"{file}: clang-tidy could not read it: {line}" for line in (lines or done.stderr.splitlines())[:1]]
    return [line for line in lines if FOUND.match(line)]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=Path)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("files", nargs="*", type=Path)
    args = parser.parse_args()
    all_files = sources(args.build.resolve())
    wanted = [file.resolve() for file in args.files] or sorted(all_files)
    for file in wanted:
        if file not in all_files:
            sys.exit(f"tidy.py: {file}: is not compiled in {args.build}")
    seen = set()
    with ThreadPoolExecutor(args.jobs) as pool:
        for found in pool.map(lambda file: findings(file, all_files[file]), wanted):
            for line in found:
                if line not in seen:
                    print(line.replace(f"{ROOT}/", ""), flush=True)
                    seen.add(line)
    print(f"{len(wanted)} files, {len(seen)} findings")
    sys.exit(bool(seen))


if __name__ == "__main__":
    main()
