"""The backend for a machine without CUDA: gloo, FSDP2 on the CPU, transformers' generate."""
