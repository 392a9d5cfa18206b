#!/usr/bin/env bash
# Builds with sanitizers into a folder of its own and runs the tests there:
#   sanitize.sh address,undefined build-asan      C++ and Python tests
#   sanitize.sh thread build-tsan                 C++ tests, and Python tests of threads
# GTEST_ARGS and PYTEST_ARGS narrow them; PYTEST_ARGS may name files.
set -euo pipefail
cd "$(dirname "$0")/.."
sanitizers=$1
build=$2
python=$PWD/.venv/bin/python

cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DPython_EXECUTABLE="$python" \
  -DHEDDLE_SANITIZE="$sanitizers" -DHEDDLE_BUILD_TESTS=ON -DHEDDLE_BUILD_PACK=OFF >/dev/null
cmake --build "$build"

# Never share compiled kernels with an uninstrumented library.
HEDDLE_CACHE_DIR=$(mktemp -d)
export HEDDLE_CACHE_DIR
trap 'rm -rf "$HEDDLE_CACHE_DIR"' EXIT
export UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1
options=allocator_may_return_null=1
export TSAN_OPTIONS=$options:halt_on_error=1:second_deadlock_stack=1:die_after_fork=0
TSAN_OPTIONS+=:suppressions=$PWD/tests/tsan.supp

# LLVM allocates for the life of the process; a leak in Heddle's own code still shows.
export LSAN_OPTIONS=suppressions=$PWD/tests/lsan.supp:print_suppressions=0
# shellcheck disable=SC2086
ASAN_OPTIONS=$options:detect_leaks=1:detect_stack_use_after_return=1 \
  scripts/run_cpp_tests.sh "$build" ${GTEST_ARGS:-}

if [[ $sanitizers == thread ]]; then
  run_time=libtsan.so
  tests=(tests/python/test_{threads,interrupt,update_interrupts,deferred_sorts,library_steps}.py)
else
  run_time=libasan.so
  tests=(tests/python)
fi
[[ ${PYTEST_ARGS:-} == *.py* ]] && tests=()
# The interpreter is not instrumented, so the run-time library has to come first, and the C++
# library with it, or exceptions are not intercepted. CPython itself leaks at exit by design.
preload="$(g++ -print-file-name=$run_time) $(g++ -print-file-name=libstdc++.so)"
# pytest keeps file descriptor 2 unless told otherwise, and a report would die with the process.
# shellcheck disable=SC2086
ASAN_OPTIONS=$options:detect_leaks=0 LD_PRELOAD=$preload \
  PYTHONPATH=$PWD/$build/python "$python" -m pytest -q -n "$(nproc)" --capture=sys \
  -p no:cacheprovider "${tests[@]}" ${PYTEST_ARGS:-}
