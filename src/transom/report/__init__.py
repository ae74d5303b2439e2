"""Findings in the forms that people and programs read; each module is one form.

A form has `render(report) -> Iterator[str]`, the text in pieces: there may be more findings than
fit into memory. Decides nothing.
"""
