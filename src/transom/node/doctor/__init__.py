"""Why a node does not work: named causes, looked for in one observation of the host.

`observe` reads the host once, or `collect` an archive brings what it read; each cause is one module
with a pure function from that observation to what is wrong. Changes nothing.
"""
