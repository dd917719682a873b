#!/bin/sh
# nvcc_ptx.sh - an nvcc whose "machine code" is PTX, for the driver that interprets it. $FACET_TEST_PYTHON
# finds NVIDIA's own; FACET_TEST_CAPABILITY=90: as for later GPUs.
folder=$(dirname "$0")
nvcc=$(PYTHONPATH=$folder/../ptx "$FACET_TEST_PYTHON" -c 'import tools; print(tools.find("nvcc") or "")')
[ "$nvcc" ] || {
  echo "nvcc_ptx.sh: no nvcc: pip install nvidia-cuda-nvcc" >&2
  exit 1
}
while [ $# -gt 0 ]; do
  case $1 in
  -o) output=$2; shift ;;
  *.cu) source=$1 ;;
  esac
  shift
done
"$nvcc" -std=c++17 -ptx -arch="compute_${FACET_TEST_CAPABILITY:-80}" "$source" -o "$output" && printf '\0' >> "$output"
