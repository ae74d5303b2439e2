"""The pictures of docs/networking.md: what happens to a packet, mode by mode, as SVG.

`tools/generate.py` writes them. Each row is one way a packet goes, each box one place it passes, with the
addresses it has there.
"""

from dataclasses import dataclass
from html import escape

from transom.facts import rows
from transom.facts.network import ModeRow
from transom.facts.rows import At

_WIDTH, _BOX, _GAP, _HEIGHT, _LANE = 1180, 200, 36, 118, 158
_LEFT, _TOP = 20, 66
_LINE = 17
_FILL = {"pod": "#dbeafe", "host": "#fef3c7", "wire": "#e5e7eb", "out": "#dcfce7"}


@dataclass(frozen=True)
class Box:
    """One place: its kind decides the colour, the first line is its name."""

    kind: str
    lines: tuple[str, ...]


@dataclass(frozen=True)
class Way:
    """One way of a packet, and what is true of the answer."""

    title: str
    boxes: tuple[Box, ...]
    answer: str


def pictures() -> dict[str, str]:
    """The SVG of each mode, by its name."""
    return {"overlay": _svg("overlay", _overlay()), "l2bridge": _svg("l2bridge", _l2bridge())}


def _overlay() -> tuple[Way, ...]:
    row = rows.one(ModeRow, "mode-flannel-overlay", At())
    outer = Box(
        "wire",
        (
            "between the nodes",
            "10.0.0.21 to 10.0.0.22",
            f"UDP {row.port}, VNI {row.vni}",
            "the pod's packet is inside",
        ),
    )
    target = Box("pod", ("pod on the other node", "10.244.2.7", "sees 10.244.1.5"))
    unwraps = Box("host", ("VTEP of the other node", "unwraps it"))
    return (
        Way(
            "Pod to pod",
            (
                Box("pod", ("pod on win-01", "10.244.1.5", "to 10.244.2.7")),
                Box(
                    "host",
                    (
                        f"network flannel.{row.vni}",
                        "remote subnet policy:",
                        "10.244.2.0/24 is at",
                        "10.0.0.22; wraps it",
                    ),
                ),
                outer,
                unwraps,
                target,
            ),
            "The answer goes the same way back.",
        ),
        Way(
            "Pod to Service",
            (
                Box("pod", ("pod on win-01", "10.244.1.5", "to 10.96.50.10:80")),
                Box(
                    "host",
                    (
                        "balancer in HNS",
                        "(kube-proxy made it)",
                        "to becomes",
                        "10.244.2.7:8080; wraps it",
                    ),
                ),
                outer,
                unwraps,
                target,
            ),
            "The source stays the pod's; the answer comes straight back and its source becomes 10.96.50.10 again on win-01.",
        ),
        Way(
            "Node port",
            (
                Box("out", ("client outside", "192.0.2.7", "to 10.0.0.21:30080")),
                Box(
                    "host",
                    (
                        "balancer in HNS",
                        "to becomes 10.244.2.7:8080",
                        "from becomes 10.244.1.2,",
                        "the source VIP; wraps it",
                    ),
                ),
                outer,
                unwraps,
                Box("pod", ("pod on the other node", "10.244.2.7", "sees 10.244.1.2")),
            ),
            "The answer returns to win-01, because the source VIP is an address of its pod range: without one kube-proxy does not start.",
        ),
    )


def _l2bridge() -> tuple[Way, ...]:
    wire = Box(
        "wire",
        ("between the nodes", "10.244.1.5 to 10.244.2.7", "as it is, to the", "other node's MAC"),
    )
    target = Box("pod", ("pod on the other node", "10.244.2.7", "sees 10.244.1.5"))
    forwards = Box("host", ("the other node", "forwards it"))
    return (
        Way(
            "Pod to pod",
            (
                Box("pod", ("pod on win-01", "10.244.1.5", "to 10.244.2.7")),
                Box(
                    "host",
                    ("HNS network cbr0", "route of win-01:", "10.244.2.0/24 via", "10.0.0.22"),
                ),
                wire,
                forwards,
                target,
            ),
            "The answer goes the same way back. The network between must carry pod addresses: one layer 2, or routes in routers or the cloud.",
        ),
        Way(
            "Pod to Service",
            (
                Box("pod", ("pod on win-01", "10.244.1.5", "to 10.96.50.10:80")),
                Box(
                    "host",
                    ("balancer in HNS", "(kube-proxy made it)", "to becomes", "10.244.2.7:8080"),
                ),
                wire,
                forwards,
                target,
            ),
            "The source stays the pod's; the answer comes straight back and its source becomes 10.96.50.10 again on win-01.",
        ),
        Way(
            "Node port",
            (
                Box("out", ("client outside", "192.0.2.7", "to 10.0.0.21:30080")),
                Box(
                    "host",
                    ("balancer in HNS", "to becomes 10.244.2.7:8080", "from becomes 10.0.0.21"),
                ),
                Box(
                    "wire",
                    (
                        "between the nodes",
                        "10.0.0.21 to 10.244.2.7",
                        "as it is, to the",
                        "other node's MAC",
                    ),
                ),
                forwards,
                Box("pod", ("pod on the other node", "10.244.2.7", "sees 10.0.0.21")),
            ),
            "The answer returns to win-01, whose address the source is.",
        ),
    )


def _svg(mode: str, ways: tuple[Way, ...]) -> str:
    height = _TOP + _LANE * len(ways)
    parts = [
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" width="{_WIDTH}" '
            f'height="{height}" font-family="DejaVu Sans, Verdana, sans-serif" role="img">'
        ),
        f"<title>The way of packets in mode {mode}</title>",
        (
            '<defs><marker id="tip" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="8" markerHeight="8" '
            'orient="auto"><path d="M0 0 L10 5 L0 10 z" fill="#374151"/></marker></defs>'
        ),
        f'<rect width="{_WIDTH}" height="{height}" fill="#ffffff"/>',
        f'<text x="{_LEFT}" y="34" font-size="20" font-weight="bold" fill="#111827">{mode}</text>',
    ]
    for number, way in enumerate(ways):
        parts += _lane(_TOP + number * _LANE, way)
    return "\n".join([*parts, "</svg>"]) + "\n"


def _lane(top: int, way: Way) -> list[str]:
    parts = [_text(_LEFT, top, way.title, bold=True)]
    y = top + 10
    for number, box in enumerate(way.boxes):
        x = _LEFT + number * (_BOX + _GAP)
        fill = _FILL[box.kind]
        parts.append(
            f'<rect x="{x}" y="{y}" width="{_BOX}" height="{_HEIGHT - 30}" rx="8" fill="{fill}" '
            'stroke="#374151"/>'
        )
        for line, words in enumerate(box.lines):
            parts.append(_text(x + 10, y + 22 + line * _LINE, words, bold=line == 0))
        if number:
            middle = y + (_HEIGHT - 30) // 2
            parts.append(
                f'<line x1="{x - _GAP + 2}" y1="{middle}" x2="{x - 3}" y2="{middle}" '
                'stroke="#374151" stroke-width="2" marker-end="url(#tip)"/>'
            )
    return [*parts, _text(_LEFT, y + _HEIGHT - 8, way.answer)]


def _text(x: int, y: int, words: str, *, bold: bool = False) -> str:
    weight = ' font-weight="bold"' if bold else ""
    return f'<text x="{x}" y="{y}" font-size="13" fill="#111827"{weight}>{escape(words)}</text>'
