"""Measurements of guerdon against floors and peers. ``python -m benchmarks list`` names them."""
