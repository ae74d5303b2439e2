"""PyYAML's own parser and composer, for a Python whose PyYAML was built without libyaml.

Must not resolve tags or construct values.
"""

from yaml.composer import Composer
from yaml.parser import Parser
from yaml.reader import Reader
from yaml.scanner import Scanner


class PureParser(Reader, Scanner, Parser, Composer):
    """A text turned into nodes, with the methods that libyaml's parser has."""

    def __init__(self, stream: bytes) -> None:
        Reader.__init__(self, stream)
        Scanner.__init__(self)
        Parser.__init__(self)
        Composer.__init__(self)
