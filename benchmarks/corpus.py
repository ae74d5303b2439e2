"""Texts to read: Kubernetes manifests as people write them, and YAML at its worst.

Everything follows from the seed
alone, so that two runs, or two machines, compare the same texts.
"""

import random
from collections.abc import Iterator, Sequence
from typing import Any

SEED = 20261116

_WORDS = (
    "web",
    "api",
    "cache",
    "queue",
    "billing",
    "search",
    "login",
    "report",
    "batch",
    "mail",
    "image",
    "index",
    "audit",
    "edge",
)
_IMAGES = (
    "mcr.microsoft.com/windows/servercore/iis:windowsservercore-ltsc2022",
    "mcr.microsoft.com/dotnet/framework/aspnet:4.8.1",
    "registry.example.com/team/service:1.4.2",
    "nginx:1.27",
)
_COMMENTS = (
    "# owned by the platform team",
    "# see the runbook: restart first",
    "#",
    "# - not: data",
)

# Each is written bare, as a value, a key or an item of a list.
_BARE = r"""
0 00 07 08 0644 0o644 0O17 0x1F 0X1f 0xG -0x10 +0x10 0b101 0B101 0b-101 0b+1 -0b11 0b2
1 -1 +1 1_000 1__0 1_ -_1 +_ - + -- +- 1e3 1E3 1e+3 1e-3 1e 1.e3 .5 -.5 +.5 5. . .. ._5
1.0 1.30 -0 -0.0 0.0 1e20 1e21 -1e21 1e-6 1e-7 1e400 -1e400 0.1 1.7976931348623157e308
9223372036854775807 9223372036854775808 -9223372036854775808 -9223372036854775809
18446744073709551615 18446744073709551616 +18446744073709551615 0xffffffffffffffff
0777777777777777777777777 123456789012345678901234567890 0x1p-2 1p4 1e1_0 0_7 0x_f
y Y yes Yes YES yEs n N no No NO true True TRUE tRUE false on On ON off Off OFF oFF
~ null Null NULL nULL .inf .Inf -.inf +.INF .nan .NaN inf nan Infinity +.nan
2024-01-02 2024-1-2 2024-01-02T03:04:05Z 22:22 1:20:30 190:20:30.15 12:30:45.5
10.0.0.0/8 1.2.3 v1 500m 800Mi 1Gi 50% a#b a:b a=b = << <<x @ ` % %a !a &a *a
http://example.com/?a=b&c=d C:\Windows\System32 \\.\pipe\docker a/b key=value
! !! !a!b !!str !!int !!foo ? ?a -a :a a: : ::: [a] {a} [ ] { } , a,b | > |- >+ ' "
"""
SCALARS = (
    *_BARE.split(),
    "",
    "a b",
    "a # b",
    "a #b",
    "2024-01-02 03:04:05",
    "- a",
    "é ü 漢字 😀",
    "'it''s'",
    '"tab\\t nul\\0 \\x41 \\u00e9 \\U0001F600 \\/ \\e \\_ \\N \\L"',
    "'22:22'",
    '"yes"',
    "!!str 12",
    "!!str yes",
    '!!int "12"',
    "!!int 0644",
    "!!int 08",
    "!!int abc",
    "!!float 1",
    "!!float 1.5",
    "!!float 18446744073709551615",
    "!!bool yes",
    "!!bool 1",
    "!!null ''",
    "!!null x",
    "!!binary aGVsbG8=",
    "!!binary aGVsbG8",
    "!!binary /w==",
    "!!timestamp 2024-01-02",
    "!custom 1",
    "! 12",
    "! '12'",
    "!!python/object/apply:os.system [true]",
    "!<tag:yaml.org,2002:str> 12",
    "{a: 1, b: [c, d]}",
    '{"a":1,"b":[true,null]}',
    "{a, b: }",
    "[a, [b, c], {d: e}, 'f']",
    "[a:b, c: d, e]",
    "{a: b: c}",
    "[http://x:80/?y, -1, - 2]",
    "&anchor value",
    "&anchor {k: v}",
    "*anchor",
)

_SHORT = 4


def _happens(rng: random.Random, share: float) -> bool:
    return rng.random() < share


class _Writer:
    """Writes a value as YAML in the many styles that people use."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.step = rng.choice((2, 2, 2, 4))
        self.flush_lists = _happens(rng, 0.5)
        self.comment_rate = rng.choice((0, 0, 0.03, 0.15))

    def write(self, value: Any, indent: int = 0) -> list[str]:
        """Give the lines of a mapping or list."""
        pad = " " * indent
        lines: list[str] = []
        if isinstance(value, dict):
            for key, item in value.items():
                if _happens(self.rng, self.comment_rate):
                    lines.append(pad + self.rng.choice(_COMMENTS))
                lines += self._entry(f"{pad}{self._key(key)}:", item, indent)
            return lines
        for item in value:
            lines += self._item(item, indent)
        return lines

    def _entry(self, head: str, item: Any, indent: int) -> list[str]:
        if isinstance(item, str) and "\n" in item:
            return self._block(head, item, indent)
        if not isinstance(item, dict | list) or not item or self._fits_line(item):
            return [f"{head} {self._inline(item)}{self._tail()}"]
        is_flush = isinstance(item, list) and self.flush_lists
        return [head + self._tail(), *self.write(item, indent if is_flush else indent + self.step)]

    def _item(self, item: Any, indent: int) -> list[str]:
        pad = " " * indent
        if not isinstance(item, dict | list) or not item or self._fits_line(item):
            return [f"{pad}- {self._inline(item)}{self._tail()}"]
        first, *rest = self.write(item, indent + 2)
        if first.lstrip().startswith("#"):
            return [f"{pad}-", first, *rest]
        return [f"{pad}- {first[indent + 2 :]}", *rest]

    def _fits_line(self, value: dict[str, Any] | list[Any]) -> bool:
        """Write a short collection in brackets now and then, and rarely a long one."""
        items = value.values() if isinstance(value, dict) else value
        is_short = len(items) <= _SHORT and not any(isinstance(item, dict | list) for item in items)
        return _happens(self.rng, 0.1 if is_short else 0.001)

    def _block(self, head: str, text: str, indent: int) -> list[str]:
        pad = " " * (indent + self.step)
        style = self.rng.choice(("|", "|", "|-", "|+", ">", ">-"))
        return [f"{head} {style}", *(pad + line if line else "" for line in text.split("\n"))]

    def _inline(self, value: Any) -> str:
        if isinstance(value, dict):
            return "{" + ", ".join(f"{k}: {self._flow(v)}" for k, v in value.items()) + "}"
        if isinstance(value, list):
            return "[" + ", ".join(self._flow(item) for item in value) + "]"
        return self._scalar(value)

    def _flow(self, value: Any) -> str:
        return self._inline(value) if isinstance(value, dict | list) else self._quoted(str(value))

    def _scalar(self, value: Any) -> str:
        if isinstance(value, bool):
            return self.rng.choice(("true", "yes", "on") if value else ("false", "no", "off"))
        if isinstance(value, int):
            return str(value)
        text = str(value)
        bare = text and text[0].isalpha() and text[-1].isalnum() and ": " not in text
        if bare and " #" not in text and _happens(self.rng, 0.85):
            return text
        return self._quoted(text)

    def _quoted(self, text: str) -> str:
        if _happens(self.rng, 0.5):
            return "'" + text.replace("\n", " ").replace("'", "''") + "'"
        escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
        return f'"{escaped}"'

    def _key(self, key: str) -> str:
        return self._quoted(key) if _happens(self.rng, 0.02) else key

    def _tail(self) -> str:
        return f"  {self.rng.choice(_COMMENTS)}" if _happens(self.rng, self.comment_rate) else ""


def _container(rng: random.Random) -> dict[str, Any]:
    container: dict[str, Any] = {
        "name": rng.choice(_WORDS),
        "image": rng.choice(_IMAGES),
        "ports": [{"containerPort": rng.randrange(80, 9000), "protocol": "TCP"}],
        "resources": {
            "limits": {"cpu": f"{rng.randrange(1, 20)}00m", "memory": "800Mi"},
            "requests": {"cpu": 1, "memory": "256Mi"},
        },
    }
    if _happens(rng, 0.5):
        container["env"] = [
            {"name": word.upper(), "value": rng.choice(("yes", "1", "C:\\data", "a: b"))}
            for word in rng.sample(_WORDS, 3)
        ]
    if _happens(rng, 0.4):
        container["command"] = ["powershell.exe", "-Command", "while ($true) { Start-Sleep 5 }"]
    if _happens(rng, 0.3):
        probe = {"httpGet": {"path": "/healthz", "port": 80}, "periodSeconds": 10}
        container["livenessProbe"] = probe
    return container


def _pod_spec(rng: random.Random) -> dict[str, Any]:
    spec: dict[str, Any] = {"nodeSelector": {"kubernetes.io/os": rng.choice(("windows", "linux"))}}
    if _happens(rng, 0.5):
        spec["tolerations"] = [
            {"key": "os", "operator": "Equal", "value": "windows", "effect": "NoSchedule"}
        ]
    spec["containers"] = [_container(rng) for _ in range(rng.choice((1, 1, 2)))]
    if _happens(rng, 0.3):
        spec["volumes"] = [{"name": "data", "configMap": {"name": "web", "defaultMode": 420}}]
        spec["hostNetwork"] = _happens(rng, 0.5)
    return spec


def _object(rng: random.Random) -> dict[str, Any]:
    name = f"{rng.choice(_WORDS)}-{rng.randrange(1000)}"
    labels = {"app": name, "app.kubernetes.io/part-of": rng.choice(_WORDS)}
    metadata: dict[str, Any] = {"name": name, "namespace": rng.choice(_WORDS), "labels": labels}
    if _happens(rng, 0.4):
        metadata["annotations"] = {"example.com/note": "restarted by hand: twice", "n": "12"}
    kind = rng.choice(("Deployment", "Deployment", "Pod", "Service", "ConfigMap", "CronJob"))
    if kind == "Pod":
        return {"apiVersion": "v1", "kind": kind, "metadata": metadata, "spec": _pod_spec(rng)}
    template = {"metadata": {"labels": dict(labels)}, "spec": _pod_spec(rng)}
    if kind == "Deployment":
        selector = {"matchLabels": {"app": name}}
        spec: dict[str, Any] = {"replicas": 3, "selector": selector, "template": template}
        return {"apiVersion": "apps/v1", "kind": kind, "metadata": metadata, "spec": spec}
    if kind == "CronJob":
        spec = {"schedule": "*/5 * * * *", "jobTemplate": {"spec": {"template": template}}}
        return {"apiVersion": "batch/v1", "kind": kind, "metadata": metadata, "spec": spec}
    if kind == "Service":
        ports = [{"name": "http", "port": 80, "targetPort": 8080}]
        spec = {"type": "ClusterIP", "selector": {"app": name}, "ports": ports}
        return {"apiVersion": "v1", "kind": kind, "metadata": metadata, "spec": spec}
    script = (
        "$ErrorActionPreference = 'Stop'\n\nWrite-Host \"ready: $env:NAME\"\n  # indented\nexit 0"
    )
    data = {"start.ps1": script, "settings.ini": "[main]\nmode = on\n", "level": "3"}
    return {"apiVersion": "v1", "kind": kind, "metadata": metadata, "data": data}


def manifests(count: int, *, seed: int = SEED) -> Iterator[str]:
    """Give that many files of one to three Kubernetes objects each."""
    rng = random.Random(seed)  # noqa: S311 - reproducible, not secret
    for _ in range(count):
        documents = []
        for _ in range(rng.choice((1, 1, 1, 2, 3))):
            writer = _Writer(rng)
            documents.append("\n".join(writer.write(_object(rng))) + "\n")
        text = "---\n".join(documents)
        text = ("---\n" if _happens(rng, 0.3) else "") + text
        yield text.replace("\n", "\r\n") if _happens(rng, 0.05) else text


def hostile(count: int, *, seed: int = SEED) -> Iterator[str]:
    """Give that many documents full of scalars, anchors and forms that parsers read differently.

    Most are valid; the rest are mistakes that a reader must refuse.
    """
    rng = random.Random(seed)  # noqa: S311 - reproducible, not secret
    for scalar in SCALARS:
        yield f"key: {scalar}\n"
        yield f"{scalar}: value\n"
        yield f"- {scalar}\n"
        yield f"{scalar}\n"
        yield f"key: [{scalar}, x]\n"
        yield f"key: {{{scalar}: 1, b: {scalar}}}\n"
    shapes = (_anchored, _merged, _blocks, _flow, _quoted_lines, _mixed)
    for number in range(count - 6 * len(SCALARS)):
        yield shapes[number % len(shapes)](rng)


def _anchored(rng: random.Random) -> str:
    names = rng.sample(_WORDS, 3)
    lines = [f"{name}: &{name} {rng.choice(SCALARS)}" for name in names]
    lines += [f"use{number}: *{rng.choice(names)}" for number in range(rng.randrange(4))]
    lines.append(f"list: [*{names[0]}, &x {{a: 1}}, *x]")
    return "\n".join(lines) + "\n"


def _merged(rng: random.Random) -> str:
    one, two = rng.sample(_WORDS, 2)
    keys = rng.choices(("a", "b", "c", "1", "'1'", "yes"), k=4)
    merge = rng.choice((f"*{one}", f"[*{one}, *{two}]", f"[*{two}, {{a: 9}}]", "{b: 8}", "3"))
    body = [f"  {key}: {number}" for number, key in enumerate(dict.fromkeys(keys))]
    body.insert(
        rng.choice((0, 0, 0, len(body))), "  " + rng.choice(("<<", "<<", '"<<"')) + f": {merge}"
    )
    head = [
        f"{one}: &{one} {{a: 1, b: 2}}",
        f"{two}: &{two} {{b: 3, c: {{d: 4}}, 1: x}}",
        "target:",
    ]
    return "\n".join(head + body) + "\n"


def _blocks(rng: random.Random) -> str:
    style = rng.choice("|>") + rng.choice(("", "-", "+", "2", "1-", "+2", " # note", "4"))
    indents = [rng.choice((2, 2, 2, 3, 4, 1, 0)) for _ in range(rng.randrange(5))]
    texts = ("text", "- item", "key: value", "# no comment", "", "  ", "\ttab", "---", "...", "é")
    lines = [f"key: {style}", *(" " * indent + rng.choice(texts) for indent in indents), "next: 1"]
    return "\n".join(lines) + rng.choice(("\n", "", "\n\n\n"))


def _flow(rng: random.Random, depth: int = 0) -> str:
    def item() -> str:
        if _happens(rng, 0.4 - 0.1 * depth):
            return _flow(rng, depth + 1).strip()
        return rng.choice(SCALARS)

    space = rng.choice((" ", "", "\n  ", "  # note\n  ", "\t"))
    items = [item() for _ in range(rng.randrange(4))]
    if _happens(rng, 0.5):
        body = f",{space}".join(items)
        return f"[{space}{body}{space}]\n"
    colon = rng.choice((": ", ": ", ":", " : "))
    body = f",{space}".join(
        rng.choice(("a", "b", '"c"')) + f"{n}{colon}{i}" for n, i in enumerate(items)
    )
    return f"{{{space}{body}{space}}}\n"


def _quoted_lines(rng: random.Random) -> str:
    quote = rng.choice(("'", '"', ""))
    breaks = ("\n", "\n\n", "\n  ", "\n      ", " \n\t", "\r\n  ", "\\\n  ")
    words = [
        rng.choice(("one", "two:", "#three", "- four", "it''s", "\\x41", "five")) for _ in range(4)
    ]
    text = "".join(word + rng.choice((" ", rng.choice(breaks))) for word in words)
    return f"key:\n  inner: {quote}{text}{quote}\n  next: 1\n"


def _mixed(rng: random.Random) -> str:
    lines = []
    for number in range(rng.randrange(1, 8)):
        scalar = rng.choice(SCALARS)
        forms = (
            f"k{number}: {scalar}",
            f"? k{number}\n: {scalar}",
            f"k{number}:\n- {scalar}\n-   {scalar}",
            f"k{number}:\n    {scalar}",
            f"k{number}:\n  - - {scalar}\n    - b: {scalar}",
            f"'k{number}' :  {scalar}  # note",
            f"# {scalar}",
            f"k{number}: !!str {scalar}",
            f"{scalar}: {number}",
        )
        lines.append(rng.choice(forms))
    return "\n".join(lines) + "\n"


_INDICATORS = r""": - ? , [ ] { } # & * ! | > ' " % @ ` ~ << \ 0 . _"""
_INSERTS = (
    *_INDICATORS.split(),
    *(
        " ",
        "\n",
        "\t",
        "\r",
        "\r\n",
        "  ",
        "\n---\n",
        "\n...\n",
        "---",
        "...",
        ": ",
        "- ",
        " #",
        "? ",
    ),
    *(
        "\ufeff",
        "\u0085",
        "\u2028",
        "\u00a0",
        "\x00",
        "\x07",
        "\x7f",
        "é",
        "%YAML 1.1\n",
        "%YAML 1.2\n",
    ),
    *(
        "&a ",
        "*a",
        "!!str ",
        "!!int ",
        "! ",
        "!x ",
        "!<x> ",
        "!!",
        "<<: ",
        "\\u",
        "\\x4",
        "\\ud800",
        "|2\n",
    ),
)


def mutations(texts: Sequence[str], count: int, *, seed: int = SEED) -> Iterator[str]:
    """Give that many texts, each one of `texts` with a few small damages."""
    rng = random.Random(seed)  # noqa: S311 - reproducible, not secret
    for _ in range(count):
        text = rng.choice(texts)
        for _ in range(rng.choice((1, 1, 2, 3))):
            text = rng.choice((_damage_characters, _damage_lines))(text, rng)
        yield text


def _damage_characters(text: str, rng: random.Random) -> str:
    start = rng.randrange(len(text) + 1)
    stop = min(len(text), start + rng.choice((0, 0, 0, 1, 1, 2, 5)))
    insert = rng.choice((*_INSERTS, "", "", text[stop : stop + 6]))
    return text[:start] + insert + text[stop:]


def _damage_lines(text: str, rng: random.Random) -> str:
    lines = text.split("\n")
    number = rng.randrange(len(lines))
    line = lines[number]
    changed: tuple[list[str], ...] = (
        [],
        [line, line],
        [" " * rng.randrange(1, 4) + line],
        [line.removeprefix(" " * rng.randrange(1, 4))],
        ["- " + line.lstrip()],
        [line.split(":")[0] + ":"],
        [line + rng.choice((" |", " |-", " >", " {", " [", " # note", "#", ":", ": ", " ", "'"))],
        [line, rng.choice(("", "  ", "# note", "      # note", "        text", "- x", "  y: z"))],
        [rng.choice(lines), line],
    )
    lines[number : number + 1] = rng.choice(changed)
    return "\n".join(lines)
