"""``guerdon smoke``: what a served endpoint must show before it goes live."""
