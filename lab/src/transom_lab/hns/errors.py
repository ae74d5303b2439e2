"""The failures HNS answers with: HRESULT and text, as callers of the DLLs see them.

Codes are those of winerror.h and of Microsoft's table of HCN error codes
(learn.microsoft.com, "HCN error codes"). Nothing here is raised to users of the lab.
"""

import json
from enum import Enum


class Code(Enum):
    """An HRESULT that HNS returns, with the sentence of its error record."""

    NETWORK_NOT_FOUND = (0x803B0001, "The network was not found. ")
    ENDPOINT_NOT_FOUND = (0x803B0002, "The endpoint was not found. ")
    LAYER_NOT_FOUND = (0x803B0003, "The network's underlying layer was not found. ")
    SWITCH_NOT_FOUND = (0x803B0004, "The virtual switch was not found. ")
    SUBNET_NOT_FOUND = (0x803B0005, "The network does not have a subnet for this endpoint. ")
    ADAPTER_NOT_FOUND = (0x803B0006, "An adapter was not found. ")
    PORT_NOT_FOUND = (0x803B0007, "The switch-port was not found. ")
    POLICY_NOT_FOUND = (0x803B0008, "An expected policy was not found. ")
    VFP_SETTING_NOT_FOUND = (0x803B0009, "A required VFP port setting was not found. ")
    INVALID_NETWORK = (
        0x803B000A,
        "The provided network configuration is invalid or missing parameters. ",
    )
    INVALID_NETWORK_TYPE = (0x803B000B, "Invalid network type. ")
    INVALID_ENDPOINT = (
        0x803B000C,
        "The provided endpoint configuration is invalid or missing parameters. ",
    )
    INVALID_POLICY = (
        0x803B000D,
        "The provided policy configuration is invalid or missing parameters. ",
    )
    NETWORK_EXISTS = (0x803B0010, "A network with this name already exists. ")
    POLICY_EXISTS = (0x803B0012, "Policy information already exists on this object. ")
    PORT_EXISTS = (0x803B0013, "The specified port already exists. ")
    ATTACHED = (0x803B0014, "This endpoint is already attached to the switch. ")
    UNSUPPORTED = (0x803B0015, "The specified request is unsupported. ")
    DEGRADED = (0x803B0017, "There was an operation attempted on a degraded object. ")
    INVALID_JSON = (0x803B001B, "Invalid JSON document string. ")
    INVALID_IP = (
        0x803B001E,
        "IP address is either invalid or not part of any configured subnet(s). ",
    )
    STOPPING = (0x803B0020, "Operation cannot be performed while service is stopping. ")
    IN_A_NAMESPACE = (
        0x803B002B,
        "This requested operation is invalid as endpoint is already part of a network namespace. ",
    )
    REFERENCED = (
        0x803B002C,
        "The specified entity cannot be removed while it still has references. ",
    )
    INTERNAL_PORT = (0x803B002D, "The internal port must exist and cannot be zero. ")
    ADDRESS_RESERVED = (0x803B002F, "An address provided is invalid or reserved. ")
    INVALID_PREFIX = (0x803B0030, "The prefix provided is invalid. ")
    NOT_FOUND = (0x80070490, "Element not found. ")
    PARAMETER = (0x80070057, "The parameter is incorrect. ")
    FILE_EXISTS = (0x800700B7, "Cannot create a file when that file already exists. ")
    ACCESS_DENIED = (0x80070005, "Access is denied. ")
    TIMEOUT = (0x800705B4, "This operation returned because the timeout period expired. ")
    NOT_IMPLEMENTED = (0x80004001, "Not implemented ")
    FAIL = (0x80004005, "Unspecified error ")

    @property
    def hresult(self) -> int:
        """The number the DLL returns."""
        return self.value[0]

    @property
    def text(self) -> str:
        """The sentence of the error record."""
        return self.value[1]


_TEXTS = {code.hresult: code.text for code in Code}


class HnsFailureError(Exception):
    """One call that failed; becomes an HRESULT and an error record, never a traceback."""

    def __init__(self, what: Code | int, text: str = "") -> None:
        self.hresult = what if isinstance(what, int) else what.hresult
        self.text = text or _TEXTS.get(self.hresult, Code.FAIL.text)
        super().__init__(f"{self.hresult:#x} {self.text}")

    def record(self) -> str:
        """The error record, as the DLLs hand it to their caller."""
        body = {"Success": False, "Error": self.text, "ErrorCode": self.hresult}
        return json.dumps(body, separators=(",", ":"))
