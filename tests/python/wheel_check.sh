#!/usr/bin/env bash
# wheel_check.sh - installs a wheel, with all that it needs from PyPI, into a virtual environment of its own and uses it with
# nothing in the PATH: no compiler, no linker. Says the seconds of each step.
#   tests/python/wheel_check.sh WHEEL [ARGUMENT OF pip ...]
set -euo pipefail
wheel=$(realpath "$1")
shift
here=$(dirname "$(realpath "$0")")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install -q "$wheel[notebook]" "$@"
mkdir "$folder/home"
cd "$folder/home" # not the sources
env -i HOME="$folder/home" PATH="$folder/none" "$folder/venv/bin/python" "$here/wheel_use.py" "$here/../../examples"
