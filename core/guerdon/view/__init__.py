"""The page of a run on a live server: for ledgers too large for one file, and for runs in progress.

Nothing is imported here: the server needs the extra ``view``.
"""
