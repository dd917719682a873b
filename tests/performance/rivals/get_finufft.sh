#!/usr/bin/env bash
# get_finufft.sh - FINUFFT's source package and the headers of xsimd it wants, those that come with
# Pythran, from PyPI into the build folder. CMake, run again, then compiles FINUFFT for this CPU.
#   tests/performance/rivals/get_finufft.sh [BUILD_FOLDER]
set -euo pipefail
cd "$(dirname "$0")/../../.."
build=${1:-build}
pip=("$build/venv/bin/pip" download -q --disable-pip-version-check --no-deps -d "$build/rivals")
"${pip[@]}" --no-binary finufft finufft==2.5.1
"${pip[@]}" --only-binary :all: pythran==0.19.0
(cd "$build/rivals" && sha256sum --check --quiet) <<'SUMS'
b0c630717442cb3519948e5f73b5dee68871c0f0e3b8c2eafbec0fcccf89f6b9  finufft-2.5.1.tar.gz
42ab2039b4eaec01084e92a2721a474e893047ba5ec87b14d45ee077ac883d08  pythran-0.19.0-py3-none-any.whl
SUMS
tar -xzf "$build/rivals/finufft-2.5.1.tar.gz" -C "$build/rivals"
"$build/venv/bin/python" -m zipfile -e "$build"/rivals/pythran-0.19.0-*.whl "$build/rivals/pythran-0.19.0"
