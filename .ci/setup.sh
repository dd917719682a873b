#!/usr/bin/env bash
# setup.sh - installs what facet builds with on Debian 12: Debian packages, and pinned PyPI packages
# in a virtual environment inside the build folder. Quick when there is nothing to do.
#   .ci/setup.sh [BUILD_FOLDER [tests]]     `tests`: and what the tests run
set -euo pipefail
cd "$(dirname "$0")/.."
build=${1:-build}
for_tests=${2:-}

packages=(g++ binutils ccache llvm-19-dev libclang-19-dev clang-19 libpolly-19-dev liblld-19-dev lld-19 libfmt-dev libcli11-dev libtomlplusplus-dev
  nlohmann-json3-dev libjemalloc-dev libhdf5-dev libcairo2-dev pkg-config fonts-dejavu-core zlib1g-dev
  libzstd-dev libopenmpi-dev libgtest-dev wasi-libc python3 python3-venv)
requirements=.ci/requirements.txt
if [ "$for_tests" ]; then
  packages+=(make git llvm-19-tools libclang-rt-19-dev clang-format-19 clang-tidy-19 qemu-user binutils-aarch64-linux-gnu binutils-riscv64-linux-gnu
    python3-dev chromium-headless-shell pocl-opencl-icd ocl-icd-libopencl1 oclgrind openmpi-bin locales)
  requirements=.ci/requirements-tests.txt
fi

venv=$build/venv
pip=("$venv/bin/pip" install -q --disable-pip-version-check --no-compile) # files of Python are compiled by what imports them
stamp=$venv/${requirements##*/}.sha256
want=$(cat .ci/requirements*.txt | sha256sum)
install_python() {
  [ "$(cat "$stamp" 2>/dev/null)" != "$want" ] || return 0
  "${pip[@]}" -r "$requirements"
  for file in "$requirements" .ci/requirements.txt; do
    echo "$want" >"$venv/${file##*/}.sha256"
  done
}
# Beside Debian's packages, where there is a pip already.
installing=
if [ -x "$venv/bin/pip" ]; then
  install_python &
  installing=$!
fi

missing=()
for p in "${packages[@]}"; do
  dpkg-query -W -f='${db:Status-Status}' "$p" 2>/dev/null | grep -qx installed || missing+=("$p")
done
if ((${#missing[@]})); then
  root=""
  if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null || {
      echo "setup: these Debian packages are missing and there is no sudo; install them as root: ${missing[*]}" >&2
      exit 1
    }
    root=sudo
  fi
  echo "setup: installing ${#missing[@]} Debian packages"
  $root apt-get update -qq
  $root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
fi

if [ ! -x "$venv/bin/pip" ]; then
  echo "setup: Python packages into $venv"
  /usr/bin/python3 -m venv --clear "$venv"
  "${pip[@]}" pip==26.3 # twice as quick as Debian's
fi

# DUCC's sources, of which Fourier transforms of grids are compiled: fetched while packages are installed.
ducc=ducc0-0.42.0
get_ducc() {
  "$venv/bin/pip" download -q --disable-pip-version-check --no-deps --no-binary ducc0 -d "$build" "${ducc/-/==}"
  echo "4e11c59b53a43355b053aebb2a62ee16eebeed026575f7d216cf09d437ce52ef  $build/$ducc.tar.gz" | sha256sum --check --quiet
  tar -xzf "$build/$ducc.tar.gz" -C "$build"
}
# uPlot, which draws the curves of pages, is in this wheel of PyPI.
uplot=uplot_python-1.1.1-py3-none-any.whl
get_uplot() {
  "$venv/bin/pip" download -q --disable-pip-version-check --no-deps -d "$build" uplot-python==1.1.1
  echo "07c96cc34ff9107c3751fc31dfad48ccd6e86c6deebb8b41d7ec7d9811722208  $build/$uplot" | sha256sum --check --quiet
  "$venv/bin/python" -m zipfile -e "$build/$uplot" "$build/uplot-1.6.16"
}
[ -f "$build/uplot-1.6.16/uplot/static/uPlot.iife.js" ] || get_uplot
getting=
if [ ! -f "$build/$ducc/src/ducc0/fft/fft.h" ]; then
  get_ducc &
  getting=$!
fi

if [ "$installing" ]; then
  wait "$installing"
else
  install_python
fi
[ -z "$getting" ] || wait "$getting"
