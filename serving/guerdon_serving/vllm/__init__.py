"""vLLM as the engine: ``vllm serve`` as a subprocess that only this server talks to."""
