#!/usr/bin/env bash
# aarch64.sh - builds facet, the runtime alone, for aarch64, and runs it under qemu with kernel libraries that the facetc of this
# machine made. Debian 12, as root; ./test.sh comes first. Minutes, 254 MB of Debian's arm64: by hand, not in CI.
#   tests/cross/aarch64.sh [FOLDER]     FOLDER: for libraries of arm64 and the build (build/aarch64)
# Debian 12 has no packages for riscv64: nothing to link facet with there.
set -euo pipefail
cd "$(dirname "$0")/../.."
folder=$(realpath -m "${1:-build/aarch64}")
sysroot=$folder/sysroot
export PATH=$PWD/build/venv/bin:$PATH

if [ ! -e "$folder/sysroot.made" ]; then
  dpkg --add-architecture arm64
  apt-get update -qq
  apt-get install -y -qq --no-install-recommends g++-aarch64-linux-gnu qemu-user wget >/dev/null
  mkdir -p "$folder/debs" "$sysroot/usr/include" "$sysroot/usr/share/cmake" "$sysroot/usr/share/pkgconfig"
  apt-get install --print-uris -y --no-install-recommends {libhdf5-dev,libcairo2-dev,libfmt-dev,zlib1g-dev,libjemalloc-dev,libstdc++-12-dev}:arm64 |
    sed -n "s/^'\([^']*\)'.*/\1/p" | (cd "$folder/debs" && xargs -n 12 -P 3 wget -q -nc)
  for package in "$folder"/debs/*.deb; do
    dpkg-deb -x "$package" "$sysroot"
  done
  # Headers that are the same for every machine.
  cp -r /usr/include/{CLI,toml++,nlohmann} "$sysroot/usr/include/"
  cp -r /usr/share/cmake/{CLI11,nlohmann_json} "$sysroot/usr/share/cmake/"
  cp -n /usr/share/pkgconfig/*.pc "$sysroot/usr/share/pkgconfig/" || true
  touch "$folder/sysroot.made"
fi

cmake -S . -B "$folder/build" -G Ninja -DCMAKE_TOOLCHAIN_FILE="$PWD/tests/cross/aarch64.cmake" -DFACET_SYSROOT="$sysroot" \
  -DFACET_COMPILER=OFF -DFACET_MPI=OFF -DFACET_WERROR=ON >/dev/null
cmake --build "$folder/build" --target facet

for kernel in born exact closed; do
  made=$folder/$kernel
  for stage in cpp sums; do
    build/bin/facetc "examples/kernels/$kernel.cpp" --targets=neon,sve2_128 --emit=$stage -o "$made.${stage/sums/o}"
  done
  aarch64-linux-gnu-g++ -std=c++20 -O2 -ffp-contract=off -shared -fPIC --sysroot="$sysroot" -Idsl "$made.cpp" "$made.o" -o "$made.so"
done
exec python3 tests/cross/aarch64.py "$folder"
