#!/usr/bin/env bash
# Recorders hear every look at elements and every change of what a storage holds. So nothing outside
# of src/graph touches the buffer of a Value or the value of a Storage: the memory of an
# array is had from look(), its value from Storage::value(), and another one is given to it by
# Storage::rebind(). Buffers that families of library routines are called with are no Values.
set -euo pipefail
cd "$(dirname "$0")/.."

sources=()
while IFS= read -r file; do sources+=("$file"); done < <(
  find src tests/cpp -name '*.h' -o -name '*.cpp' | grep -vE '^src/graph/' | sort
)

# A Value's buffer: value->buffer(), value.buffer(). What a library step is called with has a number.
found=0
if grep -nP '(\.|->)buffer\(\)' "${sources[@]}"; then found=1; fi
# A storage's value as a member, or a cast that gets at it.
if grep -nP '\bstorage(_|\(\))?(\.|->)value\b(?![\w(])|const_cast<Ref<Value>' "${sources[@]}"; then found=1; fi
if ((found)); then
  echo "past the doors of recorders: use look(), Storage::value() and Storage::rebind()" >&2
  exit 1
fi
