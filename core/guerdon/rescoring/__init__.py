"""Scoring completions again, those of a run or of a file: `score.rescore`, `diff.compare`, `sources.open_source`.

Nothing is imported here, so that the command line starts quickly.
"""
