#!/bin/sh
# Resolve pyproject.toml into requirements.lock: versions and hashes, no host names.
set -eu
"$1/bin/uv" pip compile -q --universal --python-version 3.12 --generate-hashes --no-emit-index-url --no-header \
    --extra trainer --extra serving --extra math --extra judge --extra view --extra sign --extra sagemaker --extra dev pyproject.toml -o requirements.lock
