"""The loader against Kubernetes' own parser: equal values, or a mistake, never another reading.

The other side is a small Go program around `sigs.k8s.io/yaml` and kubectl's splitter, built from
`goyaml/` into the user's cache. Each disagreement that the loader turns into a mistake is of a
kind listed in `DELIBERATE`; any other refusal of a text that Kubernetes reads fails the test.
"""

import base64
import collections
import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

import corpus
from transom.errors import InvalidDocument
from transom.yamlio import node
from transom.yamlio.loader import load

pytestmark = pytest.mark.go

ROOT = Path(__file__).parents[2]
PROGRAM = Path(__file__).parent / "goyaml"
BUILD_TIMEOUT_S = 600
READ_TIMEOUT_S = 100
# Modules of Kubernetes that carry manifests: every kind in full, and pods of every policy.
REAL = ("k8s.io/api@v0.37.1", "k8s.io/pod-security-admission@v0.37.1")

# Texts that Kubernetes takes and the loader does not, by a part of the mistake's message.
DELIBERATE = (
    "is unknown to Kubernetes",  # it drops tags it does not know
    "is not base64 of text",  # it keeps bytes that are no text, damaged
    "is repeated",  # it takes the last one, or any one if `1` stands beside "1"
    "`<<` replaces the key",  # it lets the merged value win over the written one
    "Kubernetes would drop it",  # it reads the first document and drops what follows
    "a key must be a scalar",  # it drops `{}: `
    "byte order mark",  # it reads one in the middle as text, or not, by chance
    "read in several ways",
    "inside brackets",
    "found duplicate anchor",  # libyaml's binding wants names to be unique
    "text follows `---`",
    "nested more than",
    "found unexpected ':'",  # libyaml: `[a:]`
    "while scanning a tag",  # libyaml: `!a[b]`
    "while parsing a tag",
    "is not a !!",  # libyaml ends a tag at a comma
)


@pytest.fixture(scope="module")
def kubernetes():
    """A function that gives Kubernetes' readings of texts."""
    go = shutil.which("go")
    if go is None:
        if os.environ.get("CI") == "true":
            pytest.fail("Go is needed to compare the loader with Kubernetes' parser")
        pytest.skip("NOT COMPARED WITH KUBERNETES: install Go to run this test")
    cache = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "transom"
    program = cache / "goyaml"
    cache.mkdir(parents=True, exist_ok=True)
    command = [go, "build", "-o", str(program), "."]
    subprocess.run(command, cwd=PROGRAM, check=True, timeout=BUILD_TIMEOUT_S)

    def read(texts, *, whole=False):
        lines = (
            json.dumps({"text": base64.b64encode(text).decode(), "whole": whole}) for text in texts
        )
        done = subprocess.run(
            [program],
            input="\n".join(lines).encode(),
            capture_output=True,
            check=True,
            timeout=READ_TIMEOUT_S,
        )
        return [json.loads(line) for line in done.stdout.splitlines()]

    return read


def compare(texts, readings):
    """Count the verdicts over all texts; give those that break the contract."""
    verdicts: collections.Counter[str] = collections.Counter()
    broken = []
    for text, reading in zip(texts, readings, strict=True):
        verdict, detail = judge(text, reading)
        verdicts[verdict] += 1
        if verdict not in ("equal", "both refuse", "deliberately refused"):
            broken.append((verdict, text, detail))
    return verdicts, broken


def judge(text, reading):
    documents = reading["documents"]
    errors = [reading.get("error"), *(document.get("error") for document in documents)]
    error = next(filter(None, errors), None)
    try:
        ours = [document.value for document in load(text, name="-")]
    except InvalidDocument as refusal:
        if error is not None:
            return "both refuse", None
        odd = [mistake for mistake in refusal.mistakes if not is_deliberate(mistake, text)]
        return ("refused without a reason", odd) if odd else ("deliberately refused", None)
    if error is not None:
        return "read, though Kubernetes refuses", error
    theirs = [document.get("json") for document in documents]
    # A document of comments alone is null to Kubernetes, and is none here.
    ours, theirs = ([value for value in values if value is not None] for values in (ours, theirs))
    is_equal = typed(ours) == typed(theirs)
    return ("equal", None) if is_equal else ("read differently", (ours, theirs))


def is_deliberate(mistake, text):
    if any(part in mistake.message for part in DELIBERATE):
        return True
    # Kubernetes reads up to the end of the first document, and drops the rest unread.
    lines = text.splitlines()[: mistake.line]
    return any(line.startswith((b"...", b"%")) for line in lines)


def typed(value):
    """Make 1, 1.0 and true differ, as they do in JSON."""
    if isinstance(value, dict):
        return {key: typed(item) for key, item in value.items()}
    if isinstance(value, list):
        return [typed(item) for item in value]
    return type(value), value


def test_manifests(kubernetes):
    """Every manifest is read, and read equally."""
    texts = [text.encode() for text in corpus.manifests(2_000)]
    verdicts, broken = compare(texts, kubernetes(texts))
    assert broken == []
    assert verdicts["equal"] == len(texts)


def test_real_documents(kubernetes):
    """What Kubernetes ships itself, and this repository, is read, and read equally."""
    texts = sorted({path.read_bytes() for path in real_documents()})
    verdicts, broken = compare(texts, kubernetes(texts))
    assert broken == []
    assert verdicts["equal"] == len(texts) > 900


def real_documents():
    for folder in ("tests/data", "examples"):
        # A chart's templates are no YAML before they are rendered.
        paths = (ROOT / folder).rglob("*.yaml")
        yield from (path for path in paths if path.parent.name != "templates")
    command = [str(shutil.which("go")), "mod", "download", "-json", *REAL]
    done = subprocess.run(
        command, cwd=PROGRAM, check=True, capture_output=True, timeout=BUILD_TIMEOUT_S
    )
    decoder, text = json.JSONDecoder(), done.stdout.decode().strip()
    while text:
        module, end = decoder.raw_decode(text)
        yield from Path(module["Dir"]).rglob("*.yaml")
        text = text[end:].lstrip()


def test_hostile_documents(kubernetes):
    """Scalars, anchors, merges, blocks and brackets at their worst."""
    texts = [text.encode() for text in corpus.hostile(6_000)]
    verdicts, broken = compare(texts, kubernetes(texts))
    assert broken == []
    assert verdicts["equal"] > 3_000


def test_damaged_documents(kubernetes):
    """Mutations of both: what Kubernetes refuses, the loader refuses."""
    seeds = [*corpus.manifests(300), *corpus.hostile(4_000)]
    texts = [text.encode() for text in corpus.mutations(seeds, 8_000)]
    verdicts, broken = compare(texts, kubernetes(texts))
    assert broken == []
    assert verdicts["equal"] > 1_000


def test_utf_16(kubernetes):
    """A file of another encoding is read as one document, as the parser itself does."""
    encodings = ("utf-16", "utf-16-be", "utf-8-sig")
    texts = [
        ("\ufeff" * (encoding == "utf-16-be") + text).encode(encoding)
        for text in corpus.manifests(60)
        for encoding in encodings
        if "---" not in text
    ]
    verdicts, broken = compare(texts, kubernetes(texts, whole=True))
    assert broken == []
    assert verdicts["equal"] == len(texts)


def test_without_libyaml(kubernetes, monkeypatch):
    """PyYAML's own parser keeps the contract too, but for more refusals."""
    monkeypatch.setattr(node, "composer", node._pure_composer())
    seeds = [*corpus.manifests(30), *corpus.hostile(1_500)]
    texts = [text.encode() for text in [*seeds, *corpus.mutations(seeds, 500)]]
    _, broken = compare(texts, kubernetes(texts))
    assert [item for item in broken if item[0] != "refused without a reason"] == []
