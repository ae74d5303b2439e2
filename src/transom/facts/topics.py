"""How volumes, images, nodes, kubeadm, kube-proxy and boot data behave on Windows.

Read by `explain` and `facts`; nothing decides by them.
"""

from typing import ClassVar

from transom.facts.rows import Row


class Topic(Row):
    """One behaviour to know; `words` are what people would ask for beside the id."""

    subject: ClassVar[str] = "topics"
    table: ClassVar[str] = "topic"

    title: str
    area: str
    text: str
    words: tuple[str, ...] = ()
