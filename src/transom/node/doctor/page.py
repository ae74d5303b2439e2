"""The page about troubleshooting, made of the diagnoses."""

from collections.abc import Sequence

from transom.node.doctor.causes import DIAGNOSES
from transom.node.doctor.diagnosis import Diagnosis

_HEAD = """\
# Troubleshooting

`transom doctor` looks for each of these causes on a host, by SSH, and with the cluster's own view where there is a kubeconfig.
`transom collect` brings everything it looks at in one zip without secrets, and `transom doctor --archive FILE.zip` finds the same
there. On the host itself: `C:\\k\\transom\\python\\python.exe C:\\k\\transom\\node.pyz doctor`. Likelier and more telling causes come first; what
is only a consequence of another finding is not told.

<!-- generated from src/transom/node/doctor/causes by tools/generate.py; edit nothing -->

| cause | symptom |
|---|---|
"""


def page(diagnoses: Sequence[Diagnosis] = DIAGNOSES) -> str:
    """The whole page."""
    rows = (f"| [{item.id}](#{item.id}) | {item.symptom} |\n" for item in diagnoses)
    return _HEAD + "".join(rows) + "".join(_section(item) for item in diagnoses)


def _section(item: Diagnosis) -> str:
    hides = ", ".join(f"[{name}](#{name})" for name in item.hides)
    consequences = f"- **Explains**: {hides}\n" if hides else ""
    return (
        f"\n## {item.id}\n\n{item.title} ({item.severity.value}).\n\n"
        f"- **Symptom**: {item.symptom}\n"
        f"- **Cause**: {item.cause}\n"
        f"- **Remedy**: {item.remedy.text}\n"
        f"- **Interrupts**: {item.remedy.interrupts}\n"
        f"- **Looks at**: {', '.join(item.looks_at)}\n"
        f"{consequences}"
        f"- **Seen**: {item.seen.value}\n"
    )
