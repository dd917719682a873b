#!/usr/bin/env bash
# check_libmvec.sh - a rival that does not call libmvec's vector functions is no rival.
#   check_libmvec.sh NM NATIVE.o [AVX2.o]
set -euo pipefail
nm=$1
check() { # object, letter of the vector ABI (d: AVX2, e: AVX-512), lanes
  for f in cosf sinf expf; do
    "$nm" "$1" | grep -q "U _ZGV$2N$3v_$f" || { echo "$1 does not call _ZGV$2N$3v_$f"; exit 1; }
  done
}
if grep -qw avx512f /proc/cpuinfo; then check "$2" e 16; else check "$2" d 8; fi
if "$nm" "$2" ${3:+"$3"} | grep -Eq "U (sinf|cosf|sincosf|expf)@?"; then echo "scalar calls"; fi
[ $# -gt 2 ] || exit 0
check "$3" d 8
if "$nm" "$3" | grep -q "U _ZGVe"; then echo "$3 uses AVX-512"; exit 1; fi
