"""Bundles on disk: what is in them, writing, reading, verifying. Torch is loaded where tensors are read."""
