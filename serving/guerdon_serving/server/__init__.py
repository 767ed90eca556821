"""Answering over HTTP: OpenAI's chat completions with images, adapters by digest, SageMaker's routes."""
