#!/usr/bin/env bash
# test.sh - sets up, builds, and runs every suite; prints the seconds each took, then `N passed, N failed`.
#   ./test.sh [--full] [SUITE ...]   style, lit, unit, python, property, package (`all` of these: the default); sanitized
#   ./test.sh --sanitize [asan] [tsan] [--full] [SUITE ...]   the same under sanitizers, in builds of their own (tests/sanitize/run.py)
# Of cells, seeds, kernels, kills and faults the suites run a part in which every kind is met; --full runs them all.
set -uo pipefail
cd "$(dirname "$0")"
if [ "${1-}" = --sanitize ]; then
  .ci/setup.sh build tests || exit 1
  export PATH="$PWD/build/venv/bin:$PATH"
  exec python3 tests/sanitize/run.py "${@:2}"
fi
case " $* " in *" --full "*) tests="tests tests_full" ;; *) tests=tests ;; esac
.ci/build.sh all $tests || { echo "test.sh: the build failed" >&2; exit 1; }
export PATH="$PWD/build/venv/bin:$PATH"
exec python3 tests/run_suites.py build "$@"
