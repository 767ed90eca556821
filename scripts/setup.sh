#!/bin/sh
# Make an environment with everything that demo, test and check need: sh scripts/setup.sh FOLDER
# Finds a Python 3.12 to 3.14 on PATH, among pyenv's versions, or through uv.
set -eu
venv=$1

suits() {
    "$1" -c 'import sys, venv; sys.exit(not (3, 12) <= sys.version_info[:2] < (3, 15))' 2>/dev/null
}

find_python() {
    for name in python3.12 python3.13 python3.14 python3 python; do
        path=$(command -v "$name" 2>/dev/null) && suits "$path" && { echo "$path"; return; }
    done
    for path in "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3.1[234]*/bin/python3; do
        [ -x "$path" ] && suits "$path" && { echo "$path"; return; }
    done
    if command -v uv >/dev/null 2>&1; then
        path=$(uv python find '>=3.12,<3.15' 2>/dev/null) && { echo "$path"; return; }
    fi
    return 1
}

if ! python=$(find_python); then
    echo "guerdon needs Python 3.12, 3.13 or 3.14; found none on PATH, in pyenv, or through uv." >&2
    echo "Install one, for example: pyenv install 3.12   or: uv python install 3.12" >&2
    exit 1
fi
echo "using $("$python" -V) at $python"
suits "$venv/bin/python" || { rm -rf "$venv"; "$python" -m venv "$venv"; }
"$venv/bin/python" -m pip install -q --disable-pip-version-check --require-hashes -r scripts/uv.lock
"$venv/bin/uv" pip sync -q -p "$venv/bin/python" --require-hashes requirements.lock
"$venv/bin/uv" pip install -q -p "$venv/bin/python" --no-deps --no-build-isolation -e .
env -u PYTHONDONTWRITEBYTECODE "$venv/bin/python" scripts/warm.py
