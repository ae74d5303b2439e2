"""A host's case: its shape, and what is its own.

The resolver and the refusals both read a case; neither looks at the fleet's optional values again.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from transom.model.fleet import Fleet, Host
from transom.model.records import dataclass
from transom.model.version import Version
from transom.recipe.shape import Shape


@dataclass(frozen=True, slots=True)
class Case:
    """One host of one fleet. Everything that its name and address do not change is in its shape."""

    shape: Shape
    host: Host

    def say(self, text: str) -> str:
        """A fact's text with its placeholders filled, those of the host too."""
        address = self.host.node_ip or self.host.address
        return self.shape.say(text, node=self.host.node_name, address=address)


def cases(
    fleet: Fleet,
    hosts: Iterable[Host],
    *,
    kubernetes: Callable[[Host], Version],
    detected_runtimes: Mapping[str, tuple[str, ...]],
) -> list[Case]:
    """The cases of hosts, each shape made once; `kubernetes` gives a host's version."""
    shapes: list[Shape] = []

    def shape_of(host: Host) -> Shape:
        settings = replace(
            host, name="", address="", connection=None, computer=None, node=None, node_ip=None
        )
        runtimes = detected_runtimes.get(host.name, ())
        for shape in shapes:
            if shape.settings == settings and shape.detected_runtimes == runtimes:
                return shape
        version = kubernetes(host)
        shapes.append(Shape(fleet, settings, kubernetes=version, detected_runtimes=runtimes))
        return shapes[-1]

    return [Case(shape_of(host), host) for host in hosts]


def shapes_of(cases: Iterable[Case]) -> list[Shape]:
    """The shapes of cases, each once."""
    return list(dict.fromkeys(case.shape for case in cases))
