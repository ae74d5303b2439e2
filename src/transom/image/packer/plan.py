"""What an image is built of: given to everything that renders its files."""

from collections.abc import Mapping
from dataclasses import field
from typing import Any

from transom.bootstrap.compile import Fetched
from transom.errors import UnsupportedError, UsageError
from transom.facts import rows
from transom.facts.imaging import BaseImage, Builder
from transom.facts.platforms import Platform
from transom.facts.rows import At
from transom.model.records import dataclass
from transom.model.request import Request

FOLDER = "files"
TEMPLATE = "windows.pkr.json"
VALUES = "values.auto.pkrvars.json"
EXAMPLE = "example.pkrvars.json"
BUILD = r"C:\transom-build"


@dataclass(frozen=True, slots=True, kw_only=True)
class ImagePlan:
    """A platform, a Windows release, the recipe in a request without secrets, and what is brought.

    Without `cloudbase_init` the base image has it. `updates` is a command that installs updates,
    empty where the image only lets Windows tell of them.
    """

    platform: Platform
    windows: str
    request: Request
    python: Fetched
    program: bytes = field(repr=False)
    cloudbase_init: Fetched | None
    updates: tuple[str, ...] = ()

    @property
    def builder(self) -> Builder:
        """How the platform builds."""
        return rows.one(Builder, f"builder-{self.platform.id}", At())

    @property
    def name(self) -> str:
        """What the image is called."""
        version = self.request.recipe.target.kubernetes.replace(".", "-")
        return f"transom-windows-{self.windows}-kubernetes-{version}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Variable:
    """A variable of the template; without a value whoever builds must give one, such as `sample`."""

    name: str
    description: str
    value: Any = None
    sample: Any = None
    sensitive: bool = False
    type: str = "string"

    def declared(self) -> Mapping[str, Any]:
        """As the template declares it, with its value as the default."""
        found: dict[str, Any] = {"type": self.type, "description": self.description}
        if self.value is not None:
            found["default"] = self.value
        if self.sensitive:
            found["sensitive"] = True
        return found


def base_of(plan: ImagePlan) -> str:
    """What the platform calls the Windows release, or a refusal where the facts have no name."""
    row = next(
        (
            row
            for row in rows.read(BaseImage)
            if row.platform == plan.platform.id and row.windows == plan.windows
        ),
        None,
    )
    if row is None:
        raise UnsupportedError(
            f"nothing is known of Windows Server {plan.windows} on {plan.platform.title}",
            subject=plan.windows,
            hint="Windows Server 2019, 2022 and 2025 are known",
        )
    return row.name


def must_agree(plan: ImagePlan) -> None:
    """Refuse a recipe for another Windows release."""
    found = plan.request.recipe.target.windows_release
    if found != plan.windows:
        raise UsageError(
            f"the recipe is for Windows Server {found}, not {plan.windows}",
            subject="--windows",
            hint=f"name a host or pool of the fleet with windows.release {plan.windows}",
        )
