#!/usr/bin/env bash
# Runs the C++ tests of a build folder: run_cpp_tests.sh BUILD [gtest arguments]
set -euo pipefail
build=$1
shift
if [[ ! -x $build/heddle_tests ]]; then
  echo "no C++ tests were built in $build" >&2
  exit 1
fi
exec "$build/heddle_tests" --gtest_brief=1 "$@"
