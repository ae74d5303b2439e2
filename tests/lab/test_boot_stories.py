"""On a host of the lab the real cloudbase-init does what the story says: files, commands, users.

Documents are those of the unit tests, malformed ones among them. Commands run in Wine's cmd.exe, and
the story is told with the exit codes they really had. Groups, names, time zones and keys are noted and
not set: Wine has no profiles, and the host keeps its name. Restarts are in test_boot_data.py.
"""

import base64
import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from tests.support import lab_cloudbase_init as cloudbase
from tests.support.bootstrap_story import CASES, data_of, machine_of, told

from transom.bootstrap.reader import tell

_DATA = Path(__file__).parents[1] / "data" / "lab"
_RECORDER = Path(__file__).parents[1] / "cloudbase_recorder.py"
_DRIVER = _DATA / "execute_boot_data.py"


def cases():
    return [case for case in CASES if not getattr(case, "code", False)]


@pytest.fixture(scope="module")
def executed(cluster):
    """What happened with each document, by the case's name."""
    host = cluster.lab.host("win1")
    target = host.drive_c / "cloudbase-init"
    shutil.copytree(cloudbase.packages(), target, dirs_exist_ok=True)
    host.put(_RECORDER, r"C:\k\cloudbase_recorder.py")
    host.put(_DRIVER, r"C:\k\execute_boot_data.py")
    cloudbase.write(host, r"C:\k\documents.json", json.dumps([_document(c) for c in cases()]))
    python = r"C:\Python\python.exe"
    host.run(
        [python, r"C:\k\execute_boot_data.py", r"C:\k\documents.json", r"C:\k\stories.json"],
        timeout_s=300,
    )
    answers = json.loads((host.drive_c / "k/stories.json").read_text("utf-8"))
    yield dict(zip((case.name for case in cases()), answers, strict=True))
    shutil.rmtree(target)


def _document(case):
    machine = machine_of(case)
    platform = machine.platform
    return {
        "data": base64.b64encode(data_of(case)).decode(),
        "platform": platform
        and {"unpacks_gzip": platform.unpacks_gzip, "names_only": platform.names_only},
        "machine": {
            "hostname": machine.hostname,
            "instance_id": machine.instance_id,
            "public_keys": list(machine.public_keys),
            "computer_name": machine.computer_name,
            "users": sorted(machine.users),
        },
    }


def test_there_are_enough_documents():
    assert len(cases()) >= 60


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.name)
def test_the_host_does_what_the_story_says(executed, case):
    happened = executed[case.name]
    codes = dict(happened["codes"])
    machine = replace(machine_of(case), exit_code=lambda script: codes.get(script, 0))
    acts = [(action, subject, detail) for action, subject, detail in happened["acts"]]
    story = tell(data_of(case), machine)
    assert told(story) == (acts, happened["outcome"], happened["reboot"], happened["again"])
    for action, path, detail in acts:
        if action == "write" and len([a for a in acts if a[1] == path]) == 1:
            assert happened["files"][path] == detail["sha256"]
    made = {subject for action, subject, _detail in acts if action == "user"}
    assert happened["users"] == dict.fromkeys(made, True)
