#!/usr/bin/env bash
# ruff over all Python, mypy over the package's stubs, and over the Python of kernels and of CUDA.
set -euo pipefail
cd "$(dirname "$0")/.."
.venv/bin/ruff check -q .

mapfile -d '' -t stubs < <(find python/heddle -name '*.pyi' -print0)
if ((${#stubs[@]})); then
  .venv/bin/mypy --no-error-summary "${stubs[@]}"
fi
checked=(_kernels _compiled simt numba numba_cuda cupyx cuda pycuda)
.venv/bin/mypy --strict --no-error-summary "${checked[@]/#/--package=heddle.}"
