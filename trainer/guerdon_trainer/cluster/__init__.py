"""The backend for GPUs: SkyRL's own FSDP workers and vLLM servers."""
