"""Asking every node of a Ray cluster, one task each."""

from dataclasses import dataclass
from typing import Any

from guerdon import Plugins, RunError
from guerdon.config import RunConfig
from guerdon_trainer.doctor.compare import check_same
from guerdon_trainer.doctor.facts import Facts, Questions, gather

PATIENCE_S = 300.0
"""How long a node may take: its first task starts a worker and imports torch."""


@dataclass(frozen=True, slots=True)
class Node:
    """A living node of the cluster."""

    id: str
    name: str
    """Its address, and as many letters of its id as tell it from others at that address."""

    has_gpu: bool


def living_nodes() -> list[Node]:
    """Return the nodes that Ray counts as alive, sorted by name."""
    import ray

    alive = [node for node in ray.nodes() if node["Alive"]]
    shared = len({node["NodeManagerAddress"] for node in alive}) < len(alive)
    found = [
        Node(
            node["NodeID"],
            node["NodeManagerAddress"] + (f"/{node['NodeID'][:6]}" if shared else ""),
            node["Resources"].get("GPU", 0) > 0,
        )
        for node in alive
    ]
    return sorted(found, key=lambda node: node.name)


def ask_nodes(questions: Questions, *, patience_s: float = PATIENCE_S) -> dict[str, Facts]:
    """Return the facts of every node of the cluster that this process is connected to.

    A task asks for no CPU, so a busy cluster answers too. A node whose task fails, as where guerdon
    is not installed, answers with the failure.

    Raises:
        RunError: names the nodes that did not answer in time.
    """
    import ray

    nodes = living_nodes()
    asked = {_ask(node, questions): node for node in nodes}
    done, late = ray.wait(list(asked), num_returns=len(asked), timeout=patience_s)
    if late:
        names = ", ".join(sorted(asked[answer].name for answer in late))
        for answer in late:
            ray.cancel(answer, force=True)
        raise RunError(f"no answer within {patience_s:g} s from {names}; look at these nodes, or take them out")
    facts = {asked[answer].name: _answer(answer) for answer in done}
    return {node.name: facts[node.name] for node in nodes}


def check_cluster(config: RunConfig, plugins: Plugins) -> None:
    """Stop a run on several nodes whose containers have drifted apart.

    Raises:
        RunError: what differs, and on which node.
    """
    if config.runtime.backend == "cluster" and config.runtime.nodes > 1:
        check_same(ask_nodes(Questions(plugins.files, config.model.name_or_path)))


def _ask(node: Node, questions: Questions) -> Any:
    import ray
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    here = NodeAffinitySchedulingStrategy(node_id=node.id, soft=False)
    task = ray.remote(num_cpus=0, max_retries=0, scheduling_strategy=here)(gather)
    return task.remote(questions, has_gpu=node.has_gpu)


def _answer(answer: Any) -> Facts:
    import ray

    try:
        facts: Facts = ray.get(answer)
    except ray.exceptions.RayError as error:
        return {"doctor": str(error).strip().splitlines()[-1]}
    return facts
