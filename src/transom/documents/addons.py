"""What `transom addons diff`, `apply` and `delete` print with `-o json`."""

from typing import TYPE_CHECKING, Annotated

from transom.fleet.addon_change import Act
from transom.model.api_versions import written
from transom.model.choices import OneOf
from transom.model.records import dataclass

if TYPE_CHECKING:
    from transom.fleet.addon_change import Change


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedField:
    """One field of an object, by its path, as it was and as it becomes."""

    path: str
    before: str
    after: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedObject:
    """An object and what happens to it: create, change, delete or keep."""

    api_version: str
    kind: str
    namespace: str
    name: str
    act: Annotated[str, OneOf.values_of(Act)]
    fields: tuple[ChangedField, ...]


def changed_object(change: "Change") -> ChangedObject:
    """The document of one object's change."""
    return ChangedObject(
        **change.name._asdict(),
        act=change.act.value,
        fields=tuple(
            ChangedField(path=path, before=before, after=after)
            for path, before, after in change.fields
        ),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class AddonChanges:
    """Every object of a fleet's add-ons; `done` tells whether the cluster was changed.

    `needs` is what the network needs and Transom does not bring.
    """

    api_version: str = written("AddonChanges")
    kind: str = "AddonChanges"
    fleet: str
    done: bool
    items: tuple[ChangedObject, ...]
    needs: tuple[str, ...]
