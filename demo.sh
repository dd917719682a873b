#!/usr/bin/env bash
# demo.sh - sets up, builds, and computes a GISAXS image of gold nanoparticles on silicon: DWBA, measured error, picture.
set -euo pipefail
cd "$(dirname "$0")"
.ci/build.sh
mkdir -p build/demo
build/bin/facet run examples/gisaxs/experiment.toml --output build/demo/gisaxs.h5 --picture build/demo/gisaxs.png
echo "picture: $PWD/build/demo/gisaxs.png"
