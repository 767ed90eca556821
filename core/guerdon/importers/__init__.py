"""Runs of other trainers as ledgers, so that they can be reviewed without changing the trainer.

Nothing is imported here, so that the command line starts quickly.
"""
