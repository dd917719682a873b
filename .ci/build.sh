#!/usr/bin/env bash
# build.sh - set-up, configure, build: what demo.sh and test.sh begin with. Warnings are errors in CI.
#   .ci/build.sh [TARGET ...]     default: the program; `tests`: what the suites run
set -euo pipefail
cd "$(dirname "$0")/.."
tests=
case " $* " in *" tests "*) tests=tests ;; esac
export PATH="$PWD/build/venv/bin:$PATH"
# Kernels of tests are compiled while their Python packages are fetched, which keeps one core waiting; what is wrong the build below says.
early=
if [ "$tests" ] && [ -f build/build.ninja ]; then
  echo "build: kernels of tests, beside the set-up" >&2
  cmake --build --preset release --target example_kernels >/dev/null 2>&1 &
  early=$!
fi
.ci/setup.sh build $tests
[ -z "$early" ] || wait "$early" || true
log=build/build.log

# Keeps the lines of a build in the log. Every ten seconds one says how far it is: `[123/340] 4 min`.
tell() {
  local line said=$SECONDS
  while IFS= read -r line; do
    printf '%s\n' "$line" >>"$log"
    if [[ $line == \[*/*\]* ]] && ((SECONDS - said >= 10)); then
      said=$SECONDS
      echo "build: ${line%%]*}] $((SECONDS / 60)) min" >&2
    fi
  done
}

# Tests are configured anew: their tools may have come since.
if [ ! -f build/build.ninja ] || [ "$tests" ]; then
  cmake --preset release ${CI:+-DFACET_WERROR=ON} ${tests:+-DFACET_PYTHON=ON} >"$log" 2>&1 || { cat "$log" >&2; exit 1; }
fi
if [ -t 1 ]; then
  cmake --build --preset release --target "${@:-all}"
else
  : >"$log"
  cmake --build --preset release --target "${@:-all}" 2>&1 | tell || { tail -n 60 "$log" >&2; exit 1; }
fi
