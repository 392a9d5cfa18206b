#!/usr/bin/env bash
# ruff over all Python, mypy over the package's stubs, and over those of its packages that are typed
# throughout.
set -euo pipefail
cd "$(dirname "$0")/.."
.venv/bin/ruff check -q .

mapfile -d '' -t stubs < <(find python/heddle -name '*.pyi' -print0)
if ((${#stubs[@]})); then
  .venv/bin/mypy --no-error-summary "${stubs[@]}"
fi
checked=(_kernels _compiled _transform _special _sorting simt numba numba_cuda cupyx cuda pycuda fft nn optim)
checked+=(scipy.{cluster,fft,fftpack,interpolate,linalg,ndimage,signal,spatial,stats})
.venv/bin/mypy --strict --no-error-summary "${checked[@]/#/--package=heddle.}"
