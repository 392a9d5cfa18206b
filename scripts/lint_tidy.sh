#!/usr/bin/env bash
# clang-tidy over the library's sources, remembered by content: a file is looked at again only when
# it, a header of the project, or the configuration has changed.
#   lint_tidy.sh BUILD            every file that has changed since it last passed
#   HEDDLE_TIDY_LIMIT=60          stop after so many seconds; the rest is left for the next run
set -euo pipefail
cd "$(dirname "$0")/.."
build=$1
limit=${HEDDLE_TIDY_LIMIT:-0}
passed=$build/tidy
mkdir -p "$passed"

headers=$(find src include .clang-tidy \( -name '*.h' -o -name .clang-tidy \) -print0 | sort -z |
  xargs -0 sha256sum | sha256sum | cut -c1-16)

check() {
  local file=$1 key log
  key=$passed/$({ echo "$headers"; cat "$file"; } | sha256sum | cut -c1-32)
  [[ -e $key ]] && return 0
  if ((limit > 0 && $(date +%s) >= deadline)); then
    touch "$passed/.incomplete"
    return 0
  fi
  # The flags are GCC's; clang does not know all of them.
  if ! log=$(.venv/bin/clang-tidy -p "$build/clang" --quiet --extra-arg=-Wno-everything "$file" \
    2>/dev/null); then
    printf '%s\n' "$log"
    return 1
  fi
  touch "$key"
}
export -f check
export build limit passed headers
deadline=$(($(date +%s) + limit))
export deadline
rm -f "$passed/.incomplete"

# A compilation database for clang: without GCC's precompiled headers and flags.
.venv/bin/python scripts/clang_database.py "$build/compile_commands.json" \
  "$build/clang/compile_commands.json"

find src -name '*.cpp' -print0 | sort -z | xargs -0 -P "$(nproc)" -I{} bash -c 'check {}'
if [[ -e $passed/.incomplete ]]; then
  echo "clang-tidy: stopped after $limit s; the remaining files are left for the next run"
fi
