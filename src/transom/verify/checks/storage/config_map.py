"""A ConfigMap reaches a pod as a file and as an environment variable."""

from transom.model.manifest import Manifest
from transom.verify.check import Check, Suite
from transom.verify.running import needs
from transom.verify.running.attempt import Attempt, expect
from transom.verify.running.case import Case
from transom.verify.running.objects import SHELL, data, shell

_NAME, _PATH, _WORD = "words", r"C:\verify-config-map", "from-the-config-map"


def objects(case: Case) -> tuple[Manifest, ...]:
    """The ConfigMap, and a pod that has it in both ways."""
    variable = {
        "name": "VERIFY_WORD",
        "valueFrom": {"configMapKeyRef": {"name": _NAME, "key": "word"}},
    }
    return (
        data(case, "ConfigMap", _NAME, {"word": _WORD}),
        shell(
            case,
            mounts={"words": _PATH},
            volumes=[{"name": "words", "configMap": {"name": _NAME}}],
            container={"env": [variable]},
        ),
    )


async def prove(attempt: Attempt) -> None:
    """Read both."""
    text = await attempt.line(SHELL, rf"type {_PATH}\word")
    expect(text, _WORD, "the file of the ConfigMap")
    expect(await attempt.line(SHELL, "echo %VERIFY_WORD%"), _WORD, "the variable of the ConfigMap")


CHECK = Check(
    name="config-map",
    suite=Suite.STORAGE,
    what="A ConfigMap is a file in a pod, and an environment variable.",
    why="Its files are symbolic links, which Windows' file system and its mappings must carry.",
    needs=(needs.pods,),
    objects=objects,
    prove=prove,
)
