"""Rendering of a run for people: a page and a table in the terminal. What it says comes from `guerdon.review`."""

from guerdon.report.page import write_report
from guerdon.report.terminal import print_summary, summary_table

__all__ = ["print_summary", "summary_table", "write_report"]
