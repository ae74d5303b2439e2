"""The rules with logic, one module each: `RULE`, and `check(view, ctx)` that yields hits.

`LOGIC` lists them by id with their module, so that a module is imported only when an object
comes by that it can speak about.
"""

LOGIC: tuple[tuple[str, str], ...] = (("WIN050", "hostprocess_mixed"),)
