"""What reading a value of an unexpected shape raises, and how that is said.

Files, logs and answers of services are written by others. Each observation and each cause is isolated
by these errors, in `observe`, `examination` and `collection` and nowhere else: one odd value must not end a
diagnosis. They are errors about data; what the host refuses is a TransomError, and everything else
(memory, an assertion, an interrupt) still ends the program.
"""

ODD_VALUE = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)


def said_of(error: BaseException) -> str:
    """The error for a person who may have to report it."""
    return f"an odd value: {type(error).__name__}: {error}"
