#!/usr/bin/env bash
# Installs a build into a scratch prefix, builds examples/cpp against it with find_package, and runs
# it: cpp_package.sh BUILD. Nothing of the source tree but the example is visible to that build.
set -euo pipefail
cd "$(dirname "$0")/.."
build=$1

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

cmake --install "$build" --prefix "$scratch/first" --component development >"$scratch/log" ||
  { cat "$scratch/log"; exit 1; }
# Moved, because a package that only works where it was installed is not relocatable.
mv "$scratch/first" "$scratch/prefix"
cp -r examples/cpp "$scratch/example"
cmake -S "$scratch/example" -B "$scratch/example/build" -G Ninja -DCMAKE_BUILD_TYPE=Release \
  -DCMAKE_PREFIX_PATH="$scratch/prefix" >"$scratch/log" || { cat "$scratch/log"; exit 1; }
cmake --build "$scratch/example/build" >"$scratch/log" || { cat "$scratch/log"; exit 1; }
env -u LD_LIBRARY_PATH "$scratch/example/build/example" | tee "$scratch/output"
while read -r line; do
  if ! grep -qF -- "$line" "$scratch/output"; then
    echo "the example did not print: $line" >&2
    exit 1
  fi
done <<'EXPECTED'
mean temperature 16.25
886 cells above 25, on average 54.21
now the warmest is 25
1 kernel for 6 operations
computes: absolute, sqrt, sin, multiply, add, add.reduce
error: add: operands could not be broadcast together with shapes (65,65) (3,)
EXPECTED

for name in "$scratch"/prefix/lib*/libheddle.so; do
  if ldd "$name" | grep 'not found'; then
    echo "libheddle.so does not find its libraries" >&2
    exit 1
  fi
done
echo "C++ package: ok"
