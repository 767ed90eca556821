#!/bin/sh
# `serve` is SageMaker's contract: the bundle lies in /opt/ml/model, the port is 8080 or SAGEMAKER_BIND_TO_PORT.
set -eu
export TOKENIZERS_PARALLELISM=false
if [ "${1:-serve}" != serve ]; then
    exec "$@"
fi
[ $# -eq 0 ] || shift
set -- "${GUERDON_BUNDLE:-/opt/ml/model}" --host 0.0.0.0 --port "${SAGEMAKER_BIND_TO_PORT:-8080}" \
    --bundles "${GUERDON_BUNDLES:-/opt/ml}" --engine "${GUERDON_ENGINE:-transformers}" "$@"
[ -z "${GUERDON_BASE:-}" ] || set -- "$@" --base "$GUERDON_BASE"
[ -z "${GUERDON_BUNDLE_ID:-}" ] || set -- "$@" --id "$GUERDON_BUNDLE_ID"
exec guerdon serve "$@"
