"""Ray on loopback for tests: nodes that start on a busy machine too."""

import gc
import os
import socket
import warnings
from pathlib import Path
from typing import Any
from unittest import mock

from ray._private import ray_constants
from ray._private.node import Node
from ray.cluster_utils import Cluster

STORE = 80 * 2**20
PATIENCE_S = 180
"""How long the dashboard may take on a busy machine; Ray's own is 30 s for each of its modules."""

AGENT_PORTS = ("metrics_agent_port", "metrics_export_port", "dashboard_agent_listen_port", "runtime_env_agent_port")


def free_ports(count: int) -> list[int]:
    """Return ports that nobody listens on."""
    sockets = [socket.socket() for _ in range(count)]
    try:
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]
    finally:
        for each in sockets:
            each.close()


def start_nodes(head: dict[str, Any], *others: dict[str, Any]) -> Cluster:
    """Start a head and further nodes; the mappings are settings of Ray's."""
    cluster = Cluster()
    patient = {
        "RAY_DASHBOARD_SUBPROCESS_MODULE_WAIT_READY_TIMEOUT": str(PATIENCE_S),
        "RAY_USAGE_STATS_ENABLED": "0",
    }
    with (
        mock.patch.object(Node, "start_ray_processes", _start_with_known_ports),
        mock.patch.object(ray_constants, "RAY_DASHBOARD_STARTUP_TIMEOUT_S", PATIENCE_S),
        mock.patch.dict(os.environ, patient),
    ):
        for settings in (head, *others):
            ports = dict(zip(AGENT_PORTS, free_ports(len(AGENT_PORTS)), strict=True))
            cluster.add_node(object_store_memory=STORE, **ports, **settings)
    cluster.wait_for_nodes()
    return cluster


_start = Node.start_ray_processes


def _start_with_known_ports(node: Node) -> None:
    """Write down the agents' ports, which we chose, before the raylet looks for them.

    The agents write the same files when they are up, but a raylet waits only 15 s for each and then
    aborts, which is too short where seven Rays share two cores.
    """
    for name in AGENT_PORTS:
        port = getattr(node._ray_params, name)
        (Path(node._session_dir) / f"{name}_{node._node_id}").write_text(str(port))
    _start(node)


def stop_nodes(cluster: Cluster) -> None:
    """Stop all nodes, and let go of what Ray's own shutdown leaves open."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        cluster.shutdown()
        cluster.head_node = None
        cluster.worker_nodes.clear()
        gc.collect()
