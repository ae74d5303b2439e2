"""Root certificates of Windows, which crypt32 fetches when it builds a chain. Imported on Windows only."""

import sys

assert sys.platform == "win32"

import ctypes
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from ctypes import wintypes
from typing import Any, ClassVar

from transom.node.host.windows.error import last_failure, words_of

_X509 = 0x1
_IN_MEMORY = 2  # CERT_STORE_PROV_MEMORY
_ADD_ALWAYS = 4
_SSL_POLICY, _OF_A_SERVER = 4, 2  # CERT_CHAIN_POLICY_SSL, AUTHTYPE_SERVER
# What the host cannot reach must not hold up a run for each certificate of the chain.
_PATIENCE_MS = 15_000
_SERVER_AUTHENTICATION = b"1.3.6.1.5.5.7.3.1"

Fields = Sequence[tuple[str, Any]]


class _UsageMatch(ctypes.Structure):
    _fields_: ClassVar[Fields] = (
        ("type", wintypes.DWORD),
        ("count", wintypes.DWORD),
        ("identifiers", ctypes.POINTER(ctypes.c_char_p)),
    )


class _ChainParameters(ctypes.Structure):
    _fields_: ClassVar[Fields] = (
        ("size", wintypes.DWORD),
        ("usage", _UsageMatch),
        ("issuance", _UsageMatch),
        ("url_timeout_ms", wintypes.DWORD),
        ("check_freshness", wintypes.BOOL),
        ("freshness_s", wintypes.DWORD),
        ("resync_time", ctypes.c_void_p),
        ("strong_sign", ctypes.c_void_p),
        ("strong_sign_flags", wintypes.DWORD),
    )


class _ServerParameters(ctypes.Structure):
    _fields_: ClassVar[Fields] = (
        ("size", wintypes.DWORD),
        ("authenticated", wintypes.DWORD),
        ("checks", wintypes.DWORD),
        ("name", wintypes.LPCWSTR),
    )


class _PolicyParameters(ctypes.Structure):
    _fields_: ClassVar[Fields] = (
        ("size", wintypes.DWORD),
        ("flags", wintypes.DWORD),
        ("extra", ctypes.POINTER(_ServerParameters)),
    )


class _PolicyStatus(ctypes.Structure):
    _fields_: ClassVar[Fields] = (
        ("size", wintypes.DWORD),
        ("error", wintypes.DWORD),
        ("chain", wintypes.LONG),
        ("element", wintypes.LONG),
        ("extra", ctypes.c_void_p),
    )


_void = ctypes.c_void_p
_out = ctypes.POINTER(ctypes.c_void_p)
_crypt32 = ctypes.WinDLL("crypt32", use_last_error=True)
_open_store = _crypt32.CertOpenStore
_open_store.argtypes = [_void, wintypes.DWORD, _void, wintypes.DWORD, _void]
_open_store.restype = _void
_close_store = _crypt32.CertCloseStore
_close_store.argtypes = [_void, wintypes.DWORD]
_close_store.restype = wintypes.BOOL
_add = _crypt32.CertAddEncodedCertificateToStore
_add.argtypes = [_void, wintypes.DWORD, ctypes.c_char_p, wintypes.DWORD, wintypes.DWORD, _out]
_add.restype = wintypes.BOOL
_free_certificate = _crypt32.CertFreeCertificateContext
_free_certificate.argtypes = [_void]
_free_certificate.restype = wintypes.BOOL
_build_chain = _crypt32.CertGetCertificateChain
_build_chain.argtypes = [
    _void,
    _void,
    _void,
    _void,
    ctypes.POINTER(_ChainParameters),
    wintypes.DWORD,
    _void,
    _out,
]
_build_chain.restype = wintypes.BOOL
_free_chain = _crypt32.CertFreeCertificateChain
_free_chain.argtypes = [_void]
_free_chain.restype = None
_judge = _crypt32.CertVerifyCertificateChainPolicy
_judge.argtypes = [
    _void,
    _void,
    ctypes.POINTER(_PolicyParameters),
    ctypes.POINTER(_PolicyStatus),
]
_judge.restype = wintypes.BOOL


class WindowsRoots:
    """The store of this machine; see `nouns.web.Roots`."""

    def fetch(self, chain: Sequence[bytes], host: str) -> str:
        if not chain:
            return "the server showed no certificate"
        with (
            _store() as store,
            _added(store, chain, host) as own,
            _built(store, own, host) as whole,
        ):
            return _problem(whole, host)


@contextmanager
def _store() -> Iterator[int]:
    """A store for what the server showed, so that Windows need not look for it elsewhere."""
    store = _open_store(_IN_MEMORY, 0, None, 0, None)
    if not store:
        raise last_failure("make", "a store of certificates")
    try:
        yield store
    finally:
        _close_store(store, 0)


@contextmanager
def _added(store: int, chain: Sequence[bytes], host: str) -> Iterator[ctypes.c_void_p]:
    """The first certificate, with all of them in the store."""
    own = ctypes.c_void_p()
    try:
        for number, encoded in enumerate(chain):
            place = ctypes.byref(own) if number == 0 else None
            if not _add(store, _X509, encoded, len(encoded), _ADD_ALWAYS, place):
                raise last_failure("read the certificate of", host)
        yield own
    finally:
        if own.value:
            _free_certificate(own)


@contextmanager
def _built(store: int, own: ctypes.c_void_p, host: str) -> Iterator[ctypes.c_void_p]:
    """The chain up to a root, for which Windows may ask its update service."""
    usage = (ctypes.c_char_p * 1)(_SERVER_AUTHENTICATION)
    wanted = _ChainParameters(size=ctypes.sizeof(_ChainParameters), url_timeout_ms=_PATIENCE_MS)
    wanted.usage.count, wanted.usage.identifiers = 1, usage
    whole = ctypes.c_void_p()
    if not _build_chain(None, own, None, store, ctypes.byref(wanted), 0, None, ctypes.byref(whole)):
        raise last_failure("follow the certificate of", host)
    try:
        yield whole
    finally:
        _free_chain(whole)


def _problem(whole: ctypes.c_void_p, host: str) -> str:
    """Why Windows would trust no server with that chain; empty where it would.

    It is not asked about the name, which OpenSSL checks: only the root is missing there.
    """
    server = _ServerParameters(ctypes.sizeof(_ServerParameters), _OF_A_SERVER, 0, None)
    asked = _PolicyParameters(ctypes.sizeof(_PolicyParameters), 0, ctypes.pointer(server))
    status = _PolicyStatus(size=ctypes.sizeof(_PolicyStatus))
    if not _judge(_SSL_POLICY, whole, ctypes.byref(asked), ctypes.byref(status)):
        raise last_failure("judge the certificate of", host)
    code = status.error
    return f"{words_of(code)} (0x{code:08X})" if code else ""
