"""Rendering of a run for people: `page.write_report` and `terminal.print_summary`.

What they say comes from `guerdon.review`. Nothing is imported here, so that the command line starts quickly.
"""
