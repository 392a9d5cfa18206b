#!/usr/bin/env bash
# Formats C++, Python and the prose of Markdown in place; --check only says what would change and fails if anything would.
set -euo pipefail
cd "$(dirname "$0")/.."
check=${1:-}
bin=.venv/bin

mapfile -d '' -t sources < <(find src include tests/cpp examples benchmarks plugins/clang/src \
  \( -name '*.cpp' -o -name '*.h' \) -print0 2>/dev/null | sort -z)
if [[ $check == --check ]]; then
  "$bin/clang-format" --dry-run --Werror "${sources[@]}"
  "$bin/ruff" format --check -q .
  scripts/wrap_prose.py --check
else
  "$bin/clang-format" -i "${sources[@]}"
  "$bin/ruff" format -q .
  "$bin/ruff" check --fix-only -q .
  scripts/wrap_prose.py
fi
