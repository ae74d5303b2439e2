"""Boot data and machines whose story is told, and executed by the real cloudbase-init."""

import base64
import tomllib
from pathlib import Path
from types import SimpleNamespace

from transom.bootstrap.machine import Machine
from transom.facts.platforms import Platform
from transom.facts.rows import At, one

DATA = Path(__file__).parents[1] / "data" / "userdata" / "cases.toml"

CASES = [SimpleNamespace(**case) for case in tomllib.loads(DATA.read_text("utf-8"))["case"]]


def data_of(case):
    if hasattr(case, "base64"):
        return base64.b64decode(case.base64)
    return case.text.encode()


def machine_of(case):
    platform = getattr(case, "platform", "")
    code = getattr(case, "exit_code", 0)
    return Machine(
        platform=one(Platform, platform, At()) if platform else None,
        hostname=getattr(case, "hostname", "windows-node"),
        exit_code=lambda _script: code,
    )


def told(story):
    acts = [(act.action, act.subject, dict(act.detail)) for act in story.acts]
    return acts, story.outcome.value, story.reboot, story.again
