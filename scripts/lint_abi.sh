#!/usr/bin/env bash
# Wheels use Python's limited API, which a build for one version of Python does not check: nothing
# may look into objects.
set -euo pipefail
cd "$(dirname "$0")/.."
if grep -nE '\bPy(List|Tuple|Bytes|ByteArray|Unicode|Float|Set|Dict)_(GET|AS|SET)_[A-Z]+|\bPyUnicode_(DATA|KIND|READ)\b|->(tp|ob)_' \
  src/python/*.h src/python/*.cpp; then
  echo "not in Python's limited API: use nanobind's NB_LIST_GET_ITEM and its kin, or functions" >&2
  exit 1
fi
