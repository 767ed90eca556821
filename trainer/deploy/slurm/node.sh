#!/bin/bash
# One node's part of a run on Slurm; train.sbatch starts it on each. The first node is Ray's head and drives,
# the others serve until it stops. The exit code of the step is that of the training.
set -euo pipefail

port=${GUERDON_RAY_PORT:-6379}
patience=${GUERDON_PATIENCE:-600}
nodes=${SLURM_JOB_NUM_NODES:?}
hosts=$(scontrol show hostnames "${SLURM_JOB_NODELIST:?}")
first=${hosts%%$'\n'*}

if [ "${SLURM_NODEID:?}" -ne 0 ]; then
    for _ in $(seq "$patience"); do
        if ray health-check --address "$first:$port" >/dev/null 2>&1; then break; fi
        sleep 1
    done
    # The head's end is no fault of this node, so its own code does not count.
    ray start --address "$first:$port" --block || true
    exit 0
fi

trap 'ray stop --grace-period 60' EXIT
ray start --head --port "$port" --dashboard-host 127.0.0.1 --disable-usage-stats
export RAY_ADDRESS=$first:$port
alive() {
    python -c 'import ray; ray.init(log_to_driver=False); print(sum(node["Alive"] for node in ray.nodes()))' 2>/dev/null
}
for _ in $(seq "$patience"); do
    if [ "$(alive || echo 0)" -ge "$nodes" ]; then break; fi
    sleep 1
done
if [ "$nodes" -gt 1 ]; then
    guerdon doctor --ray "$RAY_ADDRESS"
fi
guerdon train "$@" &
training=$!
trap 'kill -TERM "$training" 2>/dev/null || true' TERM
# A signal interrupts wait, so wait until the training itself has ended, which saves first.
code=0
wait "$training" || code=$?
while kill -0 "$training" 2>/dev/null; do
    code=0
    wait "$training" || code=$?
done
exit "$code"
