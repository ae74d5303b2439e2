"""Tell cloudbase-init that the boot data failed: only an error of its own is reported.

A part handler of multi-part boot data. cloudbase-init passes over every exit code and every error
of a part, but not over an error at the very end.
"""

import os

REPORT = r"C:\k\transom\boot\report.json"


def list_types():
    """A type that no part has: only the end matters."""
    return ["text/x-transom"]


def handle_part(data, content_type, filename, payload):
    """Fail at the end where there is a report of a failure."""
    if content_type == "__end__" and os.path.exists(REPORT):
        with open(REPORT, encoding="utf-8") as file:
            raise RuntimeError(file.read())
