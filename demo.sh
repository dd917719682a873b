#!/usr/bin/env bash
# demo.sh - sets up, builds, and computes the gold nanoparticle: form factor, measured error, picture.
set -euo pipefail
cd "$(dirname "$0")"
.ci/build.sh
mkdir -p build/demo
build/bin/facet run examples/gold_nanoparticle/experiment.toml --output build/demo/gold.h5 --picture build/demo/gold.png
echo "picture: $PWD/build/demo/gold.png"
