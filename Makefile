# make demo   set up, build, run the tour        make test   set up, build, run all tests
# The rest: make help

SHELL := /bin/bash
BUILD ?= build
BUILD_TYPE ?= Release
JOBS ?= $(shell nproc)
PYTEST_ARGS ?=
GTEST_ARGS ?=
PYTHON := .venv/bin/python
# Absolute: CMake resolves links otherwise and would leave the virtual environment.
CONFIGURE = cmake -S . -G Ninja -DPython_EXECUTABLE=$(CURDIR)/$(PYTHON) -DHEDDLE_BUILD_TESTS=ON

.PHONY: help setup build demo test test-all test-cpp test-package test-python bench asan tsan \
  format lint lint-format lint-abi lint-doors lint-includes lint-names lint-python lint-tidy wheel wheel-clang clean distclean
.DEFAULT_GOAL := help

help:  ## Show the targets
	@awk -F':.*## ' '/^[a-z-]+:.*## /{printf "  make %-18s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup:  ## Install what is missing (apt packages, .venv)
	@scripts/setup.sh

$(BUILD)/build.ninja: CMakeLists.txt $(wildcard cmake/*.cmake) | setup
	@$(CONFIGURE) -B $(BUILD) -DCMAKE_BUILD_TYPE=$(BUILD_TYPE)
	@touch $@

build: setup $(BUILD)/build.ninja  ## Build the library, the extension and the C++ tests
	@cmake --build $(BUILD) -j $(JOBS)

demo: build  ## Run the tour: NumPy code, the kernels it became, times, a picture
	@$(PYTHON) examples/tour.py

test: test-cpp test-package test-python  ## Run all tests

test-cpp: build  ## C++ tests                 (GTEST_ARGS=--gtest_filter=...)
	@scripts/run_cpp_tests.sh $(BUILD) $(GTEST_ARGS)

test-package: build  ## Build and run examples/cpp against an installed copy
	@tests/cpp_package.sh $(BUILD)

test-python: build  ## Python tests              (PYTEST_ARGS="-k name")
	@$(PYTHON) -m pytest -n $(JOBS) -q tests/python $(PYTEST_ARGS)

test-all: build  ## All tests, with all cases of those that take a sample (an hour)
	@HEDDLE_TEST_ALL=1 $(MAKE) test

bench: build  ## Measure against NumPy
	@$(PYTHON) benchmarks/run.py $(BENCH_ARGS)

asan: setup  ## Tests under ASan and UBSan  (GTEST_ARGS, PYTEST_ARGS)
	@GTEST_ARGS="$(GTEST_ARGS)" PYTEST_ARGS="$(PYTEST_ARGS)" scripts/sanitize.sh address,undefined build-asan

tsan: setup  ## Tests under TSan: C++, and Python's of threads
	@GTEST_ARGS="$(GTEST_ARGS)" PYTEST_ARGS="$(PYTEST_ARGS)" scripts/sanitize.sh thread build-tsan

format: setup  ## Format C++ and Python in place
	@scripts/format.sh

lint: lint-format lint-abi lint-doors lint-includes lint-names lint-python lint-tidy  ## Check formatting, doors, includes, names, ruff, mypy, clang-tidy

lint-format: setup
	@scripts/format.sh --check

lint-abi:
	@scripts/lint_abi.sh

lint-doors:
	@scripts/lint_doors.sh

lint-includes:
	@python3 scripts/lint_includes.py

lint-names:
	@python3 scripts/lint_names.py

lint-python: setup
	@scripts/lint_python.sh

lint-tidy: setup $(BUILD)/build.ninja
	@$(PYTHON) scripts/lint_tidy.py $(BUILD)

wheel: setup  ## Build dist/*.whl (stable ABI with Python 3.12 or newer) and print their sizes
	@scripts/wheel.sh

wheel-clang: setup  ## Build the wheel of heddle-clang alone
	@scripts/wheel.sh clang

clean:  ## Remove everything built
	rm -rf build build-* dist python/heddle/_core*.so python/heddle/lib
	find . -name __pycache__ -not -path './.venv/*' -prune -exec rm -rf {} +

distclean: clean  ## Also remove .venv
	rm -rf .venv .pytest_cache .hypothesis .ruff_cache .mypy_cache
