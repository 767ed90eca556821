"""The embedded quickstart: a picture-question data set and a vision-language model that fit a laptop.

Importing this package, and :mod:`~guerdon_trainer.quickstart.data`, needs neither torch nor transformers.
"""
