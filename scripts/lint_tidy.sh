#!/usr/bin/env bash
# clang-tidy over the C++ sources, remembered by content: a file is looked at again only when it, a
# header of the project, or what clang-tidy is told has changed. From nothing it takes about a
# quarter of an hour on two cores.
#   lint_tidy.sh BUILD
set -euo pipefail
cd "$(dirname "$0")/.."
build=$1
passed=$build/tidy
mkdir -p "$passed"

# A compilation database for clang, without GCC's precompiled headers and flags, and the headers that
# the build writes.
.venv/bin/python scripts/clang_database.py "$build/compile_commands.json" \
  "$build/clang/compile_commands.json"
cmake --build "$build" --target generated/heddle_kernel_mark.h generated/heddle_program_mark.h >/dev/null

common=$({
  find include src tests/cpp -name '*.h' -print0 | sort -z | xargs -0 cat
  cat .clang-tidy scripts/clang_database.py scripts/requirements-dev.txt
} | sha256sum)

check() {
  local file=$1 key log
  key=$passed/$({ echo "$common $file"; cat "$file"; } | sha256sum | cut -c1-32)
  [[ -e $key ]] && return 0
  # The flags are GCC's; clang does not know all of them.
  if ! log=$(.venv/bin/clang-tidy -p "$build/clang" --quiet --extra-arg=-Wno-everything "$file" \
    2>/dev/null); then
    printf '%s\n' "$log"
    return 1
  fi
  touch "$key"
}
export -f check
export build passed common

# Not src/special: it is made of other people's headers, and compiled by itself.
find src tests/cpp -name '*.cpp' -not -path 'src/special/*' -print0 | sort -z | xargs -0 -P "$(nproc)" -I{} bash -c 'check {}'
