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

# A member is followed by neither "(" nor another letter; `value()` is a call, and allowed.
member='\b(?![\w(])'
rules=(
  # a storage's value: storage.value, storage->value, storage().value, storage_->value
  "\\bstorage(_|\\(\\))?(\\.|->)value$member"
  # a Value's buffer: value->buffer, value()->buffer, a->value.buffer, node->buffer, old.buffer ...
  "\\bvalue(\\(\\))?(\\.|->)buffer$member"
  "\\b(node|old|made|target|output|result|Value)->buffer$member"
)

found=0
for rule in "${rules[@]}"; do
  if grep -nP "$rule" "${sources[@]}"; then found=1; fi
done
if ((found)); then
  echo "past the doors of recorders: use look(), Storage::value() and Storage::rebind()" >&2
  exit 1
fi
