#!/usr/bin/env bash
# ruff over all Python, mypy over the package's stubs, and strictly over the whole package.
set -euo pipefail
cd "$(dirname "$0")/.."
.venv/bin/ruff check -q .

mapfile -d '' -t stubs < <(find python/heddle -name '*.pyi' -print0)
if ((${#stubs[@]})); then
  .venv/bin/mypy --no-error-summary "${stubs[@]}"
fi
.venv/bin/mypy --strict --no-error-summary --package heddle
