#!/usr/bin/env bash
# Installs what a build needs: Debian packages (as root or with sudo; otherwise prints them) and
# Python packages into .venv. Stamped in .venv, so a second run costs nothing.
#   HEDDLE_PYTHON   the interpreter to make .venv from (default: python3)
set -euo pipefail
cd "$(dirname "$0")/.."

python=${HEDDLE_PYTHON:-python3}
venv=.venv
stamp=$venv/.heddle-setup
inputs=(scripts/setup.sh scripts/requirements-dev.txt)

packages=(build-essential cmake ninja-build ccache mold git llvm-22-dev clang-22 clang-tidy-22 libclang-22-dev
  libtbb-dev libfmt-dev libhwy-dev libgtest-dev zlib1g-dev libzstd-dev)

say() { printf '[setup] %s\n' "$*"; }

fresh() {
  [[ -f $stamp ]] || return 1
  local file
  for file in "${inputs[@]}"; do
    [[ $file -ot $stamp ]] || return 1
  done
}

missing_packages() {
  local package
  for package in "${packages[@]}"; do
    dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null | grep -qx installed ||
      printf '%s\n' "$package"
  done
}

# Debian splits the headers and venv from its own Python; others bring them along.
python_packages() {
  command -v "$python" >/dev/null || { printf 'python3 python3-dev python3-venv\n'; return; }
  "$python" -c 'import ensurepip, venv' 2>/dev/null || printf 'python3-venv\n'
  "$python" -c 'import os, sysconfig, sys
sys.exit(not os.path.exists(os.path.join(sysconfig.get_paths()["include"], "Python.h")))' ||
    printf 'python3-dev\n'
}

install_packages() {
  command -v dpkg-query >/dev/null || { say "not a Debian system: install by hand: ${packages[*]}"; return; }
  local missing
  mapfile -t missing < <(missing_packages; python_packages | tr ' ' '\n')
  ((${#missing[@]})) || return 0
  local sudo=()
  if ((EUID != 0)); then
    if sudo -n true 2>/dev/null || { command -v sudo >/dev/null && [[ -t 0 ]]; }; then
      sudo=(sudo)
    else
      say "please install these packages, then run again:"
      say "  apt-get install ${missing[*]}"
      exit 1
    fi
  fi
  say "installing ${missing[*]}"
  "${sudo[@]}" apt-get update -qq
  "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
    "${missing[@]}" >/dev/null
}

install_python() {
  if [[ ! -x $venv/bin/python ]]; then
    say "creating $venv from $("$python" --version)"
    "$python" -m venv "$venv"
  fi
  say "installing Python packages into $venv"
  "$venv/bin/python" -m pip install -q --disable-pip-version-check -r scripts/requirements-dev.txt
  # The package is imported from the source tree; the build puts the binaries there.
  local site
  site=$("$venv/bin/python" -c 'import sysconfig; print(sysconfig.get_paths()["purelib"])')
  printf '%s\n' "$PWD/python" "$PWD/plugins/clang/python" >"$site/heddle-development.pth"
}

if fresh && [[ ${1:-} != --force ]]; then
  exit 0
fi
install_packages
install_python
touch "$stamp"
say "ready"
