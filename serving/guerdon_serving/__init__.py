"""Serving for guerdon: an adapter leaves as a verified bundle and is served without surprises.

`guerdon_serving.bundle` writes, reads and verifies bundles; `guerdon_serving.model` runs them;
`guerdon_serving.server` answers over HTTP.
"""
