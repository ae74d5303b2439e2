"""A Secret reaches a pod as a file and as an environment variable."""

from transom.model.manifest import Manifest
from transom.verify.check import Check, Suite
from transom.verify.running import needs
from transom.verify.running.attempt import Attempt, expect
from transom.verify.running.case import Case
from transom.verify.running.objects import SHELL, data, shell

_NAME, _PATH, _WORD = "words", r"C:\verify-secret", "from-the-secret"


def objects(case: Case) -> tuple[Manifest, ...]:
    """The Secret, and a pod that has it in both ways."""
    variable = {
        "name": "VERIFY_WORD",
        "valueFrom": {"secretKeyRef": {"name": _NAME, "key": "word"}},
    }
    return (
        data(case, "Secret", _NAME, {"word": _WORD}),
        shell(
            case,
            mounts={"words": _PATH},
            volumes=[{"name": "words", "secret": {"secretName": _NAME}}],
            container={"env": [variable]},
        ),
    )


async def prove(attempt: Attempt) -> None:
    """Read both."""
    text = await attempt.line(SHELL, rf"type {_PATH}\word")
    expect(text, _WORD, "the file of the Secret")
    expect(await attempt.line(SHELL, "echo %VERIFY_WORD%"), _WORD, "the variable of the Secret")


CHECK = Check(
    name="secret",
    suite=Suite.STORAGE,
    what="A Secret is a file in a pod, and an environment variable.",
    why="Its files are symbolic links, which Windows' file system and its mappings must carry.",
    needs=(needs.pods,),
    objects=objects,
    prove=prove,
)
