"""GRPO on SkyRL and Ray: from a laptop's CPU to a cluster, by configuration alone."""
