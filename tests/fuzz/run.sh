#!/bin/bash
# Fuzzes what reads files (readers.def): each reader for its share of the minutes, one at a time.
#
#   tests/fuzz/run.sh MINUTES [READER...]
#
# Builds facet in build/fuzz (FACET_FUZZ_BUILD) with clang's sanitizers and coverage first. Findings are a crash, a report
# of a sanitizer, an exception that is no Error, 10 s for one file and 2 GB of memory. The file of a finding is kept there
# in findings/READER, and the script ends with 1. What is learnt is kept in corpus/READER there and used again.
set -euo pipefail
source=$(cd "$(dirname "$0")/../.." && pwd)
[ -d "$source/build/venv/bin" ] && PATH=$source/build/venv/bin:$PATH # its CMake is new enough
build=${FACET_FUZZ_BUILD:-$source/build/fuzz}
minutes=${1:?minutes}
shift
readers=("$@")
[ $# -gt 0 ] || mapfile -t readers < <(sed -n 's/^FACET_READER(\(\w*\),.*/\1/p' "$source/tests/fuzz/readers.def")

[ -e "$build/build.ninja" ] || cmake -S "$source" -B "$build" -G Ninja -DCMAKE_CXX_COMPILER=clang++-19 -DCMAKE_C_COMPILER=clang-19 \
  -DCMAKE_BUILD_TYPE=Release "-DCMAKE_CXX_FLAGS_RELEASE=-O1 -gline-tables-only" \
  -DFACET_SANITIZE=fuzzer-no-link,address,undefined > "$build.log" 2>&1 || { cat "$build.log"; exit 2; }
ninja -C "$build" facet_fuzz

seconds=$(awk -v m="$minutes" -v n=${#readers[@]} 'BEGIN { print int(60 * m / n) + 1 }')
[ -w /dev/shm ] && export TMPDIR=/dev/shm # files are read from memory
export UBSAN_OPTIONS=print_stacktrace=1 ASAN_OPTIONS=allocator_may_return_null=1
bad=0
printf '%-12s %12s %8s %8s %9s\n' reader executions edges seconds findings
for reader in "${readers[@]}"; do
  learnt=$build/corpus/$reader findings=$build/findings/$reader log=$build/$reader.log
  mkdir -p "$learnt" "$findings"
  words=$source/tests/fuzz/words/$reader.dict
  began=$SECONDS
  FACET_READER=$reader "$build/bin/facet_fuzz" "$learnt" "$source/tests/fuzz/corpus/$reader" -max_total_time="$seconds" -timeout=10 \
    -rss_limit_mb=2048 -malloc_limit_mb=2048 -max_len=4096 -print_final_stats=1 -artifact_prefix="$findings/" \
    $([ -e "$words" ] && echo "-dict=$words") > "$log" 2>&1 || bad=1
  found=$(find "$findings" -type f -newer "$build/build.ninja" | wc -l)
  printf '%-12s %12s %8s %8s %9s\n' "$reader" "$(awk '/^stat::number_of_executed_units/ { n = $2 } END { print n + 0 }' "$log")" \
    "$(grep -o ' cov: [0-9]*' "$log" | tail -1 | cut -d' ' -f3)" $((SECONDS - began)) "$found"
  grep -E '^SUMMARY|^Error|what\(\)' "$log" | head -3 || true
done
exit $bad
