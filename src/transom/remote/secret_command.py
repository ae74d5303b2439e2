"""The door to programs that print a secret: vaults, password managers, LAPS.

What it prints is never shown, and neither are its arguments, which may say too much.
"""

from transom.errors import PermanentError, UsageError
from transom.remote.local_program import run_program

_TIMEOUT_S = 60.0


async def printed_secret(argv: tuple[str, ...]) -> str:
    """What the program prints, without the line's end."""
    program = argv[0]
    try:
        ran = await run_program(argv, timeout_s=_TIMEOUT_S)
    except OSError as error:
        raise UsageError(f"cannot run {program} for a credential", subject=program) from error
    text = ran.stdout.decode("utf-8", "replace").rstrip("\r\n")
    if ran.code != 0 or not text:
        raise PermanentError(
            f"{program} ended with {ran.code} and printed "
            f"{'something' if text else 'nothing'} as a credential",
            subject=program,
            hint="run it by hand to see why",
        )
    return text
