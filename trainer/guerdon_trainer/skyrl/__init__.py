"""The seams to SkyRL 0.4.0, which is used as it is: subclassed, never edited.

Importing this package makes SkyRL importable where flash-attn is missing. Import it before
anything from ``skyrl``.
"""

from guerdon_trainer.skyrl.compat import prepare

prepare()
