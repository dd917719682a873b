#!/usr/bin/env bash
# wheel.sh - makes BUILD/wheel/facet-VERSION-*-manylinux_*.whl, which needs only Python on the machine
# where it is installed. It holds the programs and the module of a finished build folder, and beside
# them the libraries of this system that they need.
#   runtime/app/python/wheel.sh [BUILD]     default: build, as ./test.sh leaves it
set -euo pipefail
cd "$(dirname "$0")/../../.."
build=$(realpath "${1:-build}")
export PATH=$build/venv/bin:$PATH
rm -rf "$build/wheel"
mkdir "$build/wheel"
python -m pip wheel -q . --no-build-isolation --no-deps --disable-pip-version-check -w "$build/wheel/unrepaired" \
  --config-settings=cmake.source-dir=runtime/app/python/wheel --config-settings=cmake.define.FACET_BUILD="$build" \
  --config-settings=build-dir="$build/wheel/cmake" --config-settings=build.targets=all

# Halide is a wheel of its own. X11, which cairo links, is on every desktop, as auditwheel has it, but not on
# every machine with Python: it is carried like the others.
python - repair "$build"/wheel/unrepaired/facet-*.whl --strip -w "$build/wheel" --exclude 'libHalide.so*' <<'PYTHON'
import json
import sys
from types import SimpleNamespace

import auditwheel.main
import auditwheel.policy


def loads(text):
    policies = json.loads(text)
    for policy in policies:
        policy["lib_whitelist"] = [name for name in policy["lib_whitelist"] if not name.startswith("libX")]
    return policies


auditwheel.policy.json = SimpleNamespace(loads=loads)
sys.exit(auditwheel.main.main())
PYTHON
ls -l "$build"/wheel/*.whl
