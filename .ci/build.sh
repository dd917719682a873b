#!/usr/bin/env bash
# build.sh - set-up, configure, build: what demo.sh and test.sh begin with. Warnings are errors in CI.
#   .ci/build.sh [PRESET] (release)
set -euo pipefail
cd "$(dirname "$0")/.."
preset=${1:-release}
build=build
[ "$preset" = release ] || build=build-$preset
.ci/setup.sh build
export PATH="$PWD/build/venv/bin:$PATH"
log=$build/build.log
mkdir -p "$build"
if [ ! -f "$build/build.ninja" ]; then
  cmake --preset "$preset" ${CI:+-DFACET_WERROR=ON} >"$log" 2>&1 || { cat "$log" >&2; exit 1; }
fi
if [ -t 1 ]; then
  cmake --build --preset "$preset"
else
  cmake --build --preset "$preset" >"$log" 2>&1 || { tail -n 60 "$log" >&2; exit 1; }
fi
