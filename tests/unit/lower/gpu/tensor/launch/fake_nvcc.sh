#!/bin/sh
# fake_nvcc.sh - an nvcc whose "machine code" is a shared object for this CPU, with emulated warps, for
# the driver of fake_driver.cpp. $FACET_TEST_CXX compiles.
folder=$(dirname "$0")
while [ $# -gt 0 ]; do
  case $1 in
  -o) output=$2; shift ;;
  *.cu) source=$1 ;;
  esac
  shift
done
symbol=$(sed -n '/^extern "C" __global__/{n;s/(.*//p;}' "$source")
{
  echo '#include "../emulate.h"'
  echo '#include "arguments.h"'
  cat "$source"
  cat <<END
extern "C" void ${symbol}_launch(int x, int y, int block, void **arguments) {
  emulate::launch({x, y}, block, [&] { emulate::call($symbol, arguments); });
}
END
} > "$output.cpp"
exec "$FACET_TEST_CXX" -std=c++17 -O1 -Wno-unknown-pragmas -shared -fPIC -D__CUDA_ARCH__=900 -I"$folder" "$output.cpp" -o "$output"
