# Sourced by the other scripts. Makes .venv of this checkout hold what a command needs:
#
#   prepare run      the product, and the packages that a program inside the sandbox may want
#   prepare test     that, and what the tests need
#   prepare check    that, and what the checks need
#
# With uv: from uv.lock. Without: python3 -m venv and pip, from scripts/locked/ with hashes.
# Nothing outside .venv is changed. A second call finds its stamp and costs nothing.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export PATH="$PWD/.venv/bin:$PATH"
unset VIRTUAL_ENV PYTHONHOME
stamp=.venv/.holds

say() { printf '%s\n' "$*" >&2; }
give_up() { say "$@"; exit 3; }

# What an environment is made from: the head of pyproject.toml, up to the settings of the tools.
fingerprint() { { sed '/^# ---/,$d' pyproject.toml; cat uv.lock; } | sha256sum | cut -c1-16; }

parts_of() {
  case "$1" in
    run) echo run ;;
    test) echo run test ;;
    check) echo run test check ;;
  esac
}

holds() {
  [ -x .venv/bin/python ] && [ -f "$stamp" ] || return 1
  local line
  for line in "$PWD" "$(fingerprint)" "$@"; do grep -qxF "$line" "$stamp" || return 1; done
}

# The first Python that is new enough. A name may exist and not run, as with version managers.
find_python() {
  local name
  for name in ${PYTHON:-} python3 python3.13 python3.12 python3.11 python3.14 python; do
    if "$name" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2> /dev/null; then
      "$name" -c 'import sys; print(sys.executable)'
      return
    fi
  done
  give_up "Python 3.11 or newer is needed and was not found. Install it, name one with PYTHON=/path/to/python3, or install uv (https://docs.astral.sh/uv), which brings its own."
}

with_uv() {
  local wanted=(--extra data) part
  for part in "$@"; do [ "$part" = run ] || wanted+=(--group "$part"); done
  UV_PROJECT_ENVIRONMENT=.venv uv sync --quiet --frozen --inexact --no-default-groups "${wanted[@]}"
}

# An environment with pip in it, or with a pip of outside that is told to work on it.
make_environment() {
  local python
  python=$(find_python) || exit 3
  rm -rf .venv
  if "$python" -c 'import ensurepip, venv' 2> /dev/null; then
    "$python" -m venv .venv
  elif "$python" -c 'import venv' 2> /dev/null && "$python" -m pip --version > /dev/null 2>&1; then
    "$python" -m venv --without-pip .venv
    printf '#!/bin/sh\nexec "%s" -m pip --python "%s" "$@"\n' "$python" "$PWD/.venv/bin/python" > .venv/bin/pip
    chmod +x .venv/bin/pip
  elif command -v virtualenv > /dev/null; then
    virtualenv --quiet --python "$python" .venv
  else
    give_up "$python cannot make a virtual environment: it has neither ensurepip nor pip. Run one of: apt install python3-venv · dnf install python3-pip · or install uv (https://docs.astral.sh/uv)"
  fi
}

with_pip() {
  [ -x .venv/bin/pip ] && .venv/bin/pip --version > /dev/null 2>&1 || make_environment
  local lists=() part
  for part in "$@"; do lists+=(-r "scripts/locked/$part.txt"); done
  local pip=(.venv/bin/pip --disable-pip-version-check --quiet --quiet install --no-warn-script-location)
  "${pip[@]}" --only-binary :all: --require-hashes "${lists[@]}"
  "${pip[@]}" --no-deps --no-build-isolation --editable .
}

prepare() {
  local parts
  read -ra parts <<< "$(parts_of "$1")"
  holds "${parts[@]}" && return
  # Two commands at once wait for each other here.
  if command -v flock > /dev/null; then
    exec 8> .setup-lock
    flock 8
    holds "${parts[@]}" && { exec 8>&-; return; }
  fi
  say "setting up .venv for $1 (once)"
  # The commands in an environment hold its path, so one that was moved is made anew.
  if [ -f "$stamp" ] && ! grep -qxF "$PWD" "$stamp"; then rm -rf .venv; fi
  if ! { command -v uv > /dev/null && with_uv "${parts[@]}"; }; then
    with_pip "${parts[@]}"
  fi
  { echo "$PWD"; fingerprint; printf '%s\n' "${parts[@]}"; } > "$stamp"
  exec 8>&-
}
