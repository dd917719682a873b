#!/usr/bin/env bash
# check_libmvec.sh - a rival that does not call libmvec's vector functions is no rival.
#   check_libmvec.sh NM native|avx2 OBJECT FUNCTION...     (cosf, sin ...)
set -euo pipefail
nm=$1 which=$2 object=$3
shift 3
# The vector ABI's letter and bytes: e for AVX-512, d for AVX2.
letter=d bytes=32
if [ "$which" = native ] && grep -qw avx512f /proc/cpuinfo; then letter=e bytes=64; fi
for f in "$@"; do
  case $f in *f) lanes=$((bytes / 4)) ;; *) lanes=$((bytes / 8)) ;; esac
  name=_ZGV${letter}N${lanes}v_$f
  "$nm" "$object" | grep -q "U $name" || { echo "$object does not call $name"; exit 1; }
done
if [ "$which" = avx2 ] && "$nm" "$object" | grep -q "U _ZGVe"; then
  echo "$object uses AVX-512"
  exit 1
fi
