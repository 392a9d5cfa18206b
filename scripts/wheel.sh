#!/usr/bin/env bash
# Builds a self-contained wheel into dist/ and prints its size. Uses Python 3.12, the oldest with the
# stable ABI that the bindings need; without one, .venv's Python, whose wheel then serves that
# version only.   HEDDLE_WHEEL_PYTHON   the interpreter to use instead
# scripts/wheel.sh [heddle] [clang]: both, or one of them
set -euo pipefail
cd "$(dirname "$0")/.."

works() { "$1" -c 'import sys; sys.exit(sys.version_info < (3, 12))' 2>/dev/null; }

find_python() {
  local candidate
  for candidate in ${HEDDLE_WHEEL_PYTHON:-} python3.12 python3.13 python3.14; do
    works "$candidate" && { printf '%s\n' "$candidate"; return; }
  done
  if command -v pyenv >/dev/null; then
    for candidate in "$(pyenv root)"/versions/3.1[2-9]*/bin/python; do
      works "$candidate" && { printf '%s\n' "$candidate"; return; }
    done
  fi
  echo "no Python 3.12 or newer found: the wheel will not use the stable ABI" >&2
  printf '%s\n' .venv/bin/python
}

# For every GPU that wheels are for; a development build has code for one kind and PTX.
export HEDDLE_CUDA_PACK=${HEDDLE_CUDA_PACK:-80;90;100;120}
export HEDDLE_CUDA_ARCHS=${HEDDLE_CUDA_ARCHS:-80-real;86-real;89-real;90-real;100-real;120}

python=$(find_python)
echo "building a wheel with $("$python" --version)"
# What builds it stays, at paths that do not change, so that a second wheel compiles only what is new.
venv=build-wheel/venv-$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
"$venv/bin/python" -c '' 2>/dev/null || "$python" -m venv --clear "$venv"
"$venv/bin/python" - >build-wheel/requirements.txt <<'PY'
import tomllib

print("cmake>=3.26", "ninja>=1.10", sep="\n")
for project in (".", "plugins/clang"):
    with open(f"{project}/pyproject.toml", "rb") as file:
        print(*tomllib.load(file)["build-system"]["requires"], sep="\n")
PY
"$venv/bin/python" -m pip install -q --disable-pip-version-check -r build-wheel/requirements.txt
mkdir -p dist
made=()
build() {  # name of the wheel, folder
  rm -f dist/"$1"-*.whl
  "$venv/bin/python" -m pip wheel -q --disable-pip-version-check --no-deps --no-build-isolation \
    -w dist "$2"
  made+=(dist/"$1"-*.whl)
}
[[ $# -gt 0 ]] || set -- heddle clang
for which in "$@"; do
  case $which in
    heddle) build heddle . ;;
    clang) build heddle_clang plugins/clang ;;
    *) echo "no wheel $which" >&2; exit 1 ;;
  esac
done

for wheel in "${made[@]}"; do
  "$venv/bin/python" - "$wheel" <<'PY'
import pathlib, sys, zipfile

wheel = pathlib.Path(sys.argv[1])
print(f"{'compressed':>12} {'size':>12}  file")
for info in sorted(zipfile.ZipFile(wheel).infolist(), key=lambda i: -i.compress_size)[:8]:
    print(f"{info.compress_size:>12,} {info.file_size:>12,}  {info.filename}")
print(f"{wheel}: {wheel.stat().st_size / 1e6:.1f} MB")
PY
done
