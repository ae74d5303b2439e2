"""Azure Key Vault, with a token of the machine's managed identity."""

from collections.abc import Mapping
from urllib.parse import urlencode

from transom.errors import PermanentError
from transom.model.secret import SecretPlace
from transom.node.host.nouns.web import WebCalls
from transom.node.host.values import WebAnswer
from transom.node.vault.answers import NOT_THERE, OK, json_of

_IDENTITY_VERSION = "2018-02-01"


class AzureStore:
    """One secret there."""

    def __init__(self, web: WebCalls, place: SecretPlace) -> None:
        self._web, self._place = web, place

    def fetch(self) -> bytes:
        """The secret's content."""
        what = f"cannot read the secret {self._place.name}"
        found = json_of(self._ask("GET", f"secrets/{self._place.name}"), what)
        if not isinstance(found.get("value"), str):
            raise PermanentError(
                f"{what}: it has no value", subject=what, hint="Store the join configuration in it."
            )
        return str(found["value"]).encode()

    def delete(self) -> None:
        """Remove the secret; what the vault keeps to recover it is left to the vault's own days."""
        answer = self._ask("DELETE", f"secrets/{self._place.name}")
        if answer.status not in (OK, NOT_THERE):
            json_of(answer, f"cannot delete the secret {self._place.name}")

    def _ask(self, method: str, path: str) -> WebAnswer:
        url = f"{self._place.endpoint}/{path}?{urlencode({'api-version': self._place.version})}"
        return self._web.call(method, url, headers=self._authorization())

    def _authorization(self) -> Mapping[str, str]:
        asked = {"api-version": _IDENTITY_VERSION, "resource": self._place.audience}
        if self._place.identity:
            asked["client_id"] = self._place.identity
        url = f"{self._place.metadata}/metadata/identity/oauth2/token?{urlencode(asked)}"
        answer = self._web.call("GET", url, headers={"Metadata": "true"}, direct=True)
        token = json_of(answer, "the machine has no managed identity")["access_token"]
        return {"Authorization": f"Bearer {token}"}
