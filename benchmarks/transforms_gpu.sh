#!/usr/bin/env bash
# Measures transformations on a GPU beside JAX and PyTorch, with the wheel in a folder:
#   benchmarks/transforms_gpu.sh FOLDER_WITH_WHEEL RESULTS
# Needs nothing else of this project than benchmarks/. The wheel is installed into a folder of its
# own; results are two files (a table and JSON) in RESULTS, with what was printed. Settings:
# SECONDS_EACH (0.3), LIBRARIES (heddle,jax,torch), SKIP (columns, as torch.compile: it compiles for
# minutes).
set -euo pipefail
wheels=$(realpath "$1")
mkdir -p "$2"
results=$(realpath "$2")
here=$(cd "$(dirname "$0")" && pwd)
site=$(mktemp -d)
python -m pip install -q --no-deps --no-index --target "$site" "$wheels"/heddle*.whl
export PYTHONPATH=$site
# Memory is left to the others, and all products of float32 have full precision.
export XLA_PYTHON_CLIENT_PREALLOCATE=false JAX_DEFAULT_MATMUL_PRECISION=highest
name=$(nvidia-smi --query-gpu=name --format=csv,noheader | head -1)
copy=$(mktemp -d)
cp "$here"/*.py "$copy"
cd "$copy"
python transforms.py --device cuda --machine "$name" --seconds "${SECONDS_EACH:-0.3}" --save \
  --libraries "${LIBRARIES:-heddle,jax,torch}" --skip "${SKIP:-}" 2>&1 | tee "$results/transforms.txt" || true
cp results/* "$results"/
