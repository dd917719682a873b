#!/usr/bin/env bash
# wheel.sh - makes BUILD/wheel/facet-VERSION-*-manylinux_*.whl, which needs only Python on the machine
# where it is installed. It holds the programs and the module of a finished build folder, and beside
# them the libraries of this system that they need, the C++ library too. All are made to run with an
# older C library (wheel/glibc.py).
#   runtime/app/python/wheel.sh [BUILD]     default: build, as ./test.sh leaves it
set -euo pipefail
cd "$(dirname "$0")/../../.."
build=$(realpath "${1:-build}")
wheel=$build/wheel
export PATH=$build/venv/bin:$PATH
rm -rf "$wheel"
mkdir "$wheel" "$wheel/libraries"
library() { # FILE SOURCE [OPTION ...]: its version has its name, and hides others'
  local file=$1 source=$2
  shift 2
  cc -std=gnu11 -O2 -Wall -Wextra -Wno-deprecated-declarations -fPIC -shared -Wl,-soname,"$file" -o "$wheel/libraries/$file" \
    "runtime/app/python/wheel/$source" "$@"
}
# Functions of threads and of dynamic linking are in libraries of their own before glibc 2.34.
library libfacet-glibc.so glibc.c -Wl,--default-symver -Wl,--no-as-needed -l:libpthread.so.0 -l:libdl.so.2
library libcurl.so.4 network.c -Wl,--version-script=<(echo "CURL_OPENSSL_4 { *; };")
library libcrypto.so.3 network.c -Wl,--version-script=<(echo "OPENSSL_3.0.0 { *; };")
export AUDITWHEEL_LD_LIBRARY_PATH=$wheel/libraries

python -m pip wheel -q . --no-build-isolation --no-deps --disable-pip-version-check -w "$wheel/unrepaired" \
  --config-settings=cmake.source-dir=runtime/app/python/wheel --config-settings=cmake.define.FACET_BUILD="$build" \
  --config-settings=build-dir="$wheel/cmake" --config-settings=build.targets=all

# Halide is a wheel of its own. X11, which cairo links, Expat, zlib and the C++ library are on every desktop,
# as auditwheel has it. Machines with Python may lack them, or have older ones: they are carried like the others.
python - repair "$wheel"/unrepaired/facet-*.whl --strip -w "$wheel/repaired" --exclude 'libHalide.so*' --no-update-tags \
  --zip-compression-level 0 <<'PYTHON'
import json
import sys
from types import SimpleNamespace

import auditwheel.main
import auditwheel.policy


def loads(text):
    policies = json.loads(text)
    for policy in policies:
        policy["lib_whitelist"] = [n for n in policy["lib_whitelist"] if not n.startswith(("libX", "libexpat", "libstdc++", "libz"))]
    return policies


auditwheel.policy.json = SimpleNamespace(loads=loads)
sys.exit(auditwheel.main.main())
PYTHON
python runtime/app/python/wheel/glibc.py "$wheel"/repaired/facet-*.whl manylinux_2_28_x86_64 "$wheel/libraries/libfacet-glibc.so" "$wheel"
ls -l "$wheel"/*.whl
