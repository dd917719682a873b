#!/usr/bin/env bash
# Tests kernels on a machine with a GPU: packs them where there is a compiler, runs them where there may be none.
#
#     run.sh --pack DIR [--target cuda-sm_80|opencl] [--build BUILD] [--kernels born,exact]
#     run.sh --run DIR [options of machine/matrix.py]           the same as DIR/run.sh, on the other machine
#
# DIR needs bash, python3, the C library (of this machine's age or newer) and the GPU's driver there; docs/gpu.md says more.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source=$(cd "$here/../.." && pwd)
action= dir= target=cuda-sm_80 build=$source/build kernels=born,closed,exact,layered,surface
usage() { sed -n '2,5p' "${BASH_SOURCE[0]}" | cut -c3-; exit "${1:-1}"; }
need() { [ -e "$1" ] || { echo "gpu/run.sh: $1 is missing; $2" >&2; exit 1; }; }

case ${1-} in
  --run)
    [ $# -ge 2 ] || usage
    need "$2/run.sh" "make it with run.sh --pack $2"
    exec "$2/run.sh" "${@:3}" ;;
  --help) usage 0 ;;
esac
while [ $# -gt 0 ]; do
  [ $# -ge 2 ] || usage
  case $1 in
    --pack) action=pack dir=$2 ;;
    --target) target=$2 ;;
    --build) build=$2 ;;
    --kernels) kernels=$2 ;;
    *) usage ;;
  esac
  shift 2
done
[ "$action" = pack ] || usage
[ ! -e "$dir" ] || { echo "gpu/run.sh: $dir is there already; name a new folder" >&2; exit 1; }
need "$build/bin/facet" "build facet first, or name its build folder with --build"
need "$build/bin/facetc" "build facet first, or name its build folder with --build"

# The folder gets its name when it is whole.
part=$dir.part
rm -rf "$part"
mkdir -p "$part"/{bin,lib,kernels,extra}
trap 'rm -rf "$part"' EXIT
for kernel in ${kernels//,/ }; do
  echo "kernel $kernel"
  (cd "$source/examples/kernels" && "$build/bin/facetc" "$kernel.cpp" --emit=manifest --targets="$target,native") \
    > "$part/kernels/$kernel.json"
  "$build/bin/facetc" "$source/examples/kernels/$kernel.cpp" --emit=library --targets="$target,native" \
    -o "$part/kernels/$kernel.so"
done
# Libraries for one question each: the hardware's sine and cosine or polynomials, one stream or three.
born=$source/examples/kernels/born.cpp
(cd "$source/examples/kernels" && "$build/bin/facetc" born.cpp --emit=manifest --targets="$target,native") > "$part/extra/born.json"
for hardware in 0 1; do
  "$build/bin/facetc" "$born" --emit=library --targets="$target,native" --class=all --algorithms=direct --knobs=hardware=$hardware \
    -o "$part/extra/born-hardware$hardware.so"
done
for streams in 1 3; do
  "$build/bin/facetc" "$born" --emit=library --targets="$target,native" --algorithms=direct --q=real \
    --knobs=streams=$streams -o "$part/extra/born-streams$streams.so"
done
if [[ $target = cuda-* ]]; then
  "$build/bin/facetc" "$born" --emit=library --targets="$target,native" --class=f64 --algorithms=separable --knobs=tensor=1 \
    -o "$part/extra/born-tensor.so" || echo "gpu/run.sh: no sums on tensor cores will be tested" >&2
fi
cp "$build/bin/facet" "$part/bin/facet"
# All shared libraries but those of the C library, which belong to the machine's own loader.
ldd "$build/bin/facet" | awk '$3 ~ /^\// { print $3 }' |
  { grep -Ev '/(libc|libm|libmvec|libdl|libpthread|librt|libresolv)\.so' || true; } | xargs -I{} cp -L {} "$part/lib/"
cp "$here"/machine/*.py "$part/"
echo "$target" > "$part/target"
cat > "$part/facet" <<'END'
#!/usr/bin/env bash
# facet with the libraries of this folder.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
export LD_LIBRARY_PATH=$here/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
exec "$here/bin/facet" "$@"
END
cat > "$part/run.sh" <<'END'
#!/usr/bin/env bash
# Runs every kernel of this folder on this machine's device; --help lists the options.
exec python3 "$(dirname "${BASH_SOURCE[0]}")/matrix.py" "$@"
END
chmod +x "$part/facet" "$part/run.sh"
mv "$part" "$dir"
trap - EXIT
echo "$dir: $(du -sh "$dir" | cut -f1); copy it to the machine with the device and run run.sh there"
