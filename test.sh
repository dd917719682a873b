#!/usr/bin/env bash
# test.sh - sets up, builds, and runs every suite; prints the seconds each took, then `N passed, N failed`.
#   ./test.sh [SUITE ...]      lit, unit, property, package, style; default: all
set -uo pipefail
cd "$(dirname "$0")"
.ci/build.sh || { echo "test.sh: the build failed" >&2; exit 1; }
export PATH="$PWD/build/venv/bin:$PATH"
exec python3 tests/run_suites.py build "$@"
