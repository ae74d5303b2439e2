"""What every object of Kubernetes says of itself: the whole ObjectMeta, of which only the name is read."""

from transom.spec import syntax
from transom.spec.shape import Free, Items, Number, Object, Table, Text

_SERVER = "Written by an API server; not read."


def metadata(title: str, name: Text | None) -> Object:
    """The `metadata` of a document; without a name of its own the name is optional."""
    given = name or Text(
        about="A name, for tools that want one.", syntax=syntax.OBJECT_NAME, examples=("me",)
    )
    return Object(
        title=title,
        about="The object's metadata, as Kubernetes defines it. Transom reads the name.",
        required=("name",) if name else (),
        keys={
            "name": given,
            "namespace": Text(
                about="The namespace it is in, in a cluster. Not read from files.",
                syntax=syntax.NAME,
                examples=("transom-system",),
            ),
            "labels": Table(
                about="Labels of the object itself, not of nodes.",
                keys=syntax.QUALIFIED_NAME,
                of=Text(about="The label's value.", syntax=syntax.LABEL_VALUE),
                examples=({"env": "prod"},),
            ),
            "annotations": Table(
                about="Annotations of the object itself.",
                keys=syntax.QUALIFIED_NAME,
                of=Text(about="The annotation's value."),
                examples=({"example.com/owner": "team-a"},),
            ),
            "finalizers": Items(about=_SERVER, of=Text(about=_SERVER)),
            "ownerReferences": Items(about=_SERVER, of=Free(about=_SERVER)),
            "generateName": Text(about="Not read: a document of a file has a name."),
            "uid": Text(about=_SERVER),
            "resourceVersion": Text(about=_SERVER),
            "generation": Number(about=_SERVER, minimum=0, maximum=2**63 - 1),
            "creationTimestamp": Text(about=_SERVER),
            "deletionTimestamp": Text(about=_SERVER),
            "deletionGracePeriodSeconds": Number(about=_SERVER, minimum=0, maximum=2**63 - 1),
            "selfLink": Text(about=_SERVER),
            "managedFields": Items(about=_SERVER, of=Free(about=_SERVER)),
        },
    )


STATUS = Free(about="What a controller reported. Not read from files.")
