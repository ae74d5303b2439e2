"""A tour in seconds: a fleet, its recipe, a refusal and an explanation. Changes nothing.

Run by `make demo`. Every line that starts with $ is a command that really runs.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

from transom.cli.console import paint

ROOT = Path(__file__).resolve().parent.parent


def say(text: str) -> None:
    """A heading of the tour."""
    print("\n" + paint(f"# {text}", "bold", stream=sys.stdout), flush=True)


def show(*arguments: str, lines: int = 0) -> None:
    """Run transom and print what it prints, shortened to so many lines."""
    print(paint(f"$ transom {' '.join(arguments)}", "green", stream=sys.stdout), flush=True)
    done = subprocess.run(
        [sys.executable, "-m", "transom", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    printed = done.stdout.splitlines()
    for line in printed[: lines or None]:
        print(line)
    if lines and len(printed) > lines:
        print(f"  ... {len(printed) - lines} more lines")
    if done.returncode:
        print(f"(exit code {done.returncode})", flush=True)


def main() -> int:
    """The tour."""
    fleet = (ROOT / "examples" / "fleet.yaml").read_text("utf-8")
    with tempfile.TemporaryDirectory(prefix="transom-demo-") as folder:
        path = Path(folder) / "fleet.yaml"
        path.write_text(fleet, encoding="utf-8")
        say("A fleet: what a person writes")
        print(fleet)
        say("Its recipe: exactly what two of its hosts need, and why")
        show("recipe", "-f", str(path), "--host", "win-01", lines=34)
        show("recipe", "-f", str(path), "--host", "win-build-01", lines=3)
        say("What cannot work is refused before anything is touched, with every reason")
        wrong = fleet.replace("release: 2022", "release: 2019").replace(
            "mode: overlay", "mode: overlay\n      vni: 1\n      port: 8472"
        )
        path.write_text(wrong, encoding="utf-8")
        show("recipe", "-f", str(path))
        say("What is known can be asked for")
        show("explain", "WIN024")
        show("explain", "error", "Network flannel.4096 not found")
    say("Now you")
    print("  .venv/bin/transom recipe -f examples/fleet.yaml")
    print("  .venv/bin/transom facts --kubernetes 1.37 --windows 2025")
    print("  .venv/bin/transom --help")
    return 0


if __name__ == "__main__":
    sys.exit(main())
