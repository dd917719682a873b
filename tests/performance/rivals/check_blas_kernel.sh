#!/usr/bin/env bash
# check_blas_kernel.sh - the BLAS rival runs the kernel of this CPU whatever OPENBLAS_CORETYPE says.
#   check_blas_kernel.sh BLAS_NAME
set -euo pipefail
own=$(env -u OPENBLAS_CORETYPE "$1")
told=$(OPENBLAS_CORETYPE=Prescott "$1")
[ -n "$own" ] && [ "$own" = "$told" ] || { echo "with OPENBLAS_CORETYPE: $told; without: $own"; exit 1; }
