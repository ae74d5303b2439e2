"""The host network service: networks by name, and what hangs on them, through its JSON calls."""

import sys

assert sys.platform == "win32"

import ctypes
import json
import uuid
from ctypes import wintypes
from typing import Any

from transom.errors import PermanentError, TransomError
from transom.node.host.values import HnsState
from transom.node.host.windows.error import words_of

_QUERY = json.dumps({"SchemaVersion": {"Major": 2, "Minor": 0}})
# No such network, no such endpoint, no such element: the last is what balancers are missed by.
_NO_OBJECT = frozenset((0x803B0001, 0x803B0002, 0x80070490))
_OF_WINDOWS = 0x8007


_free = ctypes.WinDLL("ole32").CoTaskMemFree
_free.argtypes = [ctypes.c_void_p]
_free.restype = None


class _Guid(ctypes.Structure):
    _fields_ = (("bytes", ctypes.c_ubyte * 16),)

    @staticmethod
    def of(text: str) -> "_Guid":
        return _Guid.from_buffer_copy(uuid.UUID(text).bytes_le)


class WindowsHns:
    """Networks, endpoints and balancers; absent where Windows has no containers feature yet."""

    def __init__(self) -> None:
        try:
            self._library: ctypes.WinDLL | None = ctypes.WinDLL(
                "computenetwork", use_last_error=True
            )
        except OSError:
            self._library = None

    def networks(self) -> list[dict[str, Any]]:
        """All networks, as HNS describes them."""
        return self._all("Network")

    def endpoints(self) -> list[dict[str, Any]]:
        """All endpoints, as HNS describes them."""
        return self._all("Endpoint")

    def balancers(self) -> list[dict[str, Any]]:
        """All load balancers, as HNS describes them."""
        return self._all("LoadBalancer")

    def state(self) -> HnsState:
        """Everything it has."""
        return HnsState(
            networks=tuple(self.networks()),
            endpoints=tuple(self.endpoints()),
            balancers=tuple(self.balancers()),
        )

    def network(self, name: str) -> str:
        """The identity of the network of that name, empty where there is none."""
        found = (str(item["ID"]) for item in self.networks() if item.get("Name") == name)
        return next(found, "")

    def delete_endpoint(self, identity: str) -> None:
        """Delete an endpoint, if it is there."""
        self._delete("Endpoint", identity)

    def delete_balancer(self, identity: str) -> None:
        """Delete a balancer, if it is there."""
        self._delete("LoadBalancer", identity)

    def delete_network(self, name: str) -> None:
        """Delete a network with its endpoints and the balancers that name those."""
        for network in self.networks():
            if network.get("Name") != name:
                continue
            endpoints = {
                endpoint["ID"]
                for endpoint in self._all("Endpoint")
                if endpoint.get("HostComputeNetwork", "").lower() == network["ID"].lower()
            }
            for balancer in self._all("LoadBalancer"):
                if endpoints.intersection(balancer.get("HostComputeEndpoints", [])):
                    self._delete("LoadBalancer", balancer["ID"])
            for endpoint in endpoints:
                self._delete("Endpoint", endpoint)
            self._delete("Network", network["ID"])

    def _all(self, kind: str) -> list[dict[str, Any]]:
        if self._library is None:
            return []
        plural = f"{kind}s"
        identities = json.loads(self._text(f"HcnEnumerate{plural}", wintypes.LPCWSTR(_QUERY)))
        found = []
        for identity in identities:
            described = self._describe(kind, identity)
            if described is not None:
                found.append(described)
        return found

    def _describe(self, kind: str, identity: str) -> dict[str, Any] | None:
        assert self._library is not None
        handle, guid = ctypes.c_void_p(), _Guid.of(identity)
        code = self._call_and_free_error(f"HcnOpen{kind}", ctypes.byref(guid), ctypes.byref(handle))
        if code in _NO_OBJECT:
            return None  # deleted since it was listed
        _check(code, f"open the {kind} {identity}")
        try:
            text = self._text(f"HcnQuery{kind}Properties", handle, wintypes.LPCWSTR(_QUERY))
            described: dict[str, Any] = json.loads(text)
            return described
        finally:
            self._call(f"HcnClose{kind}", handle)

    def _delete(self, kind: str, identity: str) -> None:
        guid = _Guid.of(identity)
        code = self._call_and_free_error(f"HcnDelete{kind}", ctypes.byref(guid))
        if code not in _NO_OBJECT:
            _check(code, f"delete the {kind} {identity}")

    def _text(self, name: str, *arguments: Any) -> str:
        result = ctypes.c_void_p()
        code = self._call_and_free_error(name, *arguments, ctypes.byref(result))
        try:
            _check(code, name)
            return ctypes.wstring_at(result.value) if result.value else ""
        finally:
            _free(result)

    def _call_and_free_error(self, name: str, *arguments: Any) -> int:
        """A call whose last argument is where it puts a text about an error, ours to free."""
        error = ctypes.c_void_p()
        try:
            return self._call(name, *arguments, ctypes.byref(error))
        finally:
            _free(error)

    def _call(self, name: str, *arguments: Any) -> int:
        assert self._library is not None
        function = getattr(self._library, name)
        function.restype = ctypes.c_uint32
        code: int = function(*arguments)
        return code


def _check(code: int, doing: str) -> None:
    if code:
        raise _failure(code, doing)


def _failure(code: int, doing: str) -> TransomError:
    return PermanentError(
        f"the host network service cannot {doing}: 0x{code:08x}{_meaning(code)}",
        subject="hns",
        hint="Restart the service hns and try again.",
    )


def _meaning(code: int) -> str:
    """Windows' own words for its errors; those of the service itself have none."""
    facility, error = divmod(code, 1 << 16)
    return f" ({words_of(error)})" if facility == _OF_WINDOWS else ""
