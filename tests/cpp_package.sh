#!/usr/bin/env bash
# Installs a build into a scratch prefix, builds examples/cpp against it with find_package, and runs
# them: cpp_package.sh BUILD. Nothing of the source tree but the examples is visible to that build.
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

# What each of the others prints stands at its end.
for source in examples/cpp/routines/*.cpp; do
  name=$(basename "$source" .cpp)
  env -u LD_LIBRARY_PATH "$scratch/example/build/$name" >"$scratch/output" ||
    { cat "$scratch/output"; echo "$name failed" >&2; exit 1; }
  while read -r line; do
    if ! grep -qF -- "$line" "$scratch/output"; then
      cat "$scratch/output"
      echo "the example $name did not print: $line" >&2
      exit 1
    fi
  done < <(sed -n '/^\/\/ Prints:/,$s/^\/\/   //p' "$source")
done
# Every header has one, but those that the others are made of, and heddle.h, whose is main.cpp.
for header in include/heddle/*.h; do
  name=$(basename "$header" .h)
  case $name in heddle | export | ref | small_vector | op_table | special_table) continue ;; esac
  [[ -f examples/cpp/routines/$name.cpp ]] ||
    { echo "heddle/$name.h has no example in examples/cpp/routines" >&2; exit 1; }
done

for name in "$scratch"/prefix/lib*/libheddle.so; do
  if ldd "$name" | grep 'not found'; then
    echo "libheddle.so does not find its libraries" >&2
    exit 1
  fi
done
echo "C++ package: ok"
