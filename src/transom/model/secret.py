"""Where a join configuration is kept until its machine fetches it: a cloud's store for secrets.

Made by `transom userdata compile`, written into boot data, read by the node program. The secret
itself is never in it.
"""

from transom.model.records import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class SecretPlace:
    """A secret in a store that the machine's own identity may read.

    `endpoint` is the store's address, where `{region}` and `{domain}` stand for what the machine's
    metadata says; `metadata` is where that is asked. `version` is the store's API's. `audience` is
    what a token is asked for, and `identity` the client id of one of several managed identities.
    Unless `keep`, the secret is deleted once the machine has it.
    """

    store: str
    name: str
    endpoint: str
    metadata: str
    version: str = ""
    region: str = ""
    audience: str = ""
    identity: str = ""
    keep: bool = False
