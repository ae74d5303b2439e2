"""What starting a command costs: it imports what it uses, and nothing else."""

import json
import subprocess
import sys

import pytest

# What a plan needs only with a real cluster, with add-ons, with a download, a bundle or an odd document.
_LATER = (
    "http.client",
    "httpx2",
    "tarfile",
    "transom.addons",
    "transom.site.downloads",
    "transom.image",
    "transom.kube.client",
    "transom.node.host",
    "transom.node.steps",
    "transom.remote.https",
    "transom.remote.winrm",
    "transom.testing",
    "wsproto",
    "yaml",
)
_NOT_FOR_THE_KUBELET = (
    *("argparse", "asyncio", "ctypes", "http.client", "ssl", "urllib.request"),
    *("transom.model.recipe", "transom.node.verbs.program", "transom.node.steps"),
)
_PLAN = (
    "transom.cli.commands.plan",
    "transom.fleet.survey",
    "transom.remote.ssh",
    "transom.spec.fleet",
)


@pytest.mark.parametrize(
    ("modules", "later"),
    [
        (_PLAN, _LATER),
        (
            ("transom.cli.commands.plan",),
            (*_LATER, "asyncssh", "transom.fleet", "transom.recipe.resolve"),
        ),
        (("transom.cli.main",), ("argparse", "asyncio", "dataclasses", "transom.errors")),
        (("transom.node.supervise.kubelet",), _NOT_FOR_THE_KUBELET),
    ],
    ids=["a plan", "its help", "the version", "the kubelet's service, which must answer in 30 s"],
)
def test_starting_imports_nothing_before_it_is_needed(modules, later):
    code = f"import sys, json, {', '.join(modules)}; print(json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, timeout=60)
    imported = set(json.loads(done.stdout))
    assert sorted(imported & set(later)) == []


def test_only_the_verb_that_is_asked_for_is_imported():
    code = (
        "import sys; from transom.cli.commands import find; from transom.cli.main import parser_for; "
        "parser_for(find('bundle')).parse_args(['verify', 'a.bundle']); "
        "print(*(name for name in sys.modules if name.startswith('transom.cli.commands.bundle.')))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, timeout=60)
    assert done.stdout.decode().strip() == "transom.cli.commands.bundle.verify"


def test_starting_to_speak_ssh_starts_no_program():
    code = (
        "import sys; begun = []; "
        "sys.addaudithook(lambda name, _: begun.append(name) if name == 'subprocess.Popen' else None); "
        "import ctypes.util; find = ctypes.util.find_library; import transom.remote.ssh; "
        "print(begun, find is ctypes.util.find_library)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, timeout=60)
    assert done.stdout.decode().strip() == "[] True"
