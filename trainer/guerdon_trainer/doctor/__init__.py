"""Whether all nodes of a cluster run the same: driver, libraries, image, plugins, model."""

from guerdon_trainer.doctor.compare import Mismatch, check_same, compare
from guerdon_trainer.doctor.facts import Questions, gather
from guerdon_trainer.doctor.nodes import Node, ask_nodes, check_cluster

__all__ = ["Mismatch", "Node", "Questions", "ask_nodes", "check_cluster", "check_same", "compare", "gather"]
