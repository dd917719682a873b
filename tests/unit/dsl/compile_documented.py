"""Compiles the first and the last C++ example of docs/language.md, as a reader would.

usage: compile_documented.py COMPILER INCLUDE_FOLDER LANGUAGE_MD"""
import pathlib
import re
import subprocess
import sys
import tempfile

compiler, include, page = sys.argv[1:]
examples = re.findall(r"```cpp\n(.*?)```", pathlib.Path(page).read_text(), re.S)
assert len(examples) >= 2, "the page has lost its examples"
with tempfile.TemporaryDirectory() as folder:
    pathlib.Path(folder, "lit.cpp").write_text(examples[0])
    use = pathlib.Path(folder, "use.cpp")
    use.write_text(examples[-1])
    flags = ["-std=c++20", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-I" + include]
    sys.exit(subprocess.run([compiler, *flags, str(use)]).returncode)
