"""Manifests for a cluster, rendered from a run's configuration and a description of the cluster."""

from guerdon_trainer.deploy.manifests import render_cluster, render_job
from guerdon_trainer.deploy.target import Target, load_target

__all__ = ["Target", "load_target", "render_cluster", "render_job"]
