#!/usr/bin/env bash
# check_blas_kernel.sh - the BLAS rival runs the kernel of this CPU whatever OPENBLAS_CORETYPE says.
#   check_blas_kernel.sh BLAS_NAME
set -euo pipefail
own=$(env -u OPENBLAS_CORETYPE "$1")
forced=$(OPENBLAS_CORETYPE=Prescott "$1")
[ -n "$own" ] && [ "$own" = "$forced" ] || { echo "with OPENBLAS_CORETYPE: $forced; without: $own"; exit 1; }
