"""Authenticode signatures, judged by Windows itself: wintrust and crypt32. Imported on Windows only."""

import sys

assert sys.platform == "win32"

import ctypes
import hashlib
from collections.abc import Sequence
from ctypes import wintypes
from typing import Any, ClassVar

from transom.node.host.values import Signature
from transom.node.host.windows.error import words_of

_NO_SIGNATURE = frozenset((0x800B0100, 0x800B0003, 0x800B0001))
_UI_NONE, _REVOKE_NONE, _CHOICE_FILE = 2, 0, 1
_VERIFY, _CLOSE = 1, 2
# Hosts may be cut off from the internet: what Windows has not cached is not fetched.
_CACHE_ONLY, _REVOCATION_NONE = 0x1000, 0x10
_RDN_TYPE, _ISSUER, _X500 = 2, 1, 3

Fields = Sequence[tuple[str, Any]]


class _Guid(ctypes.Structure):
    _fields_: ClassVar[Fields] = (
        ("a", wintypes.DWORD),
        ("b", wintypes.WORD),
        ("c", wintypes.WORD),
        ("d", ctypes.c_ubyte * 8),
    )


class _FileInfo(ctypes.Structure):
    _fields_: ClassVar[Fields] = (
        ("size", wintypes.DWORD),
        ("path", wintypes.LPCWSTR),
        ("file", wintypes.HANDLE),
        ("known", ctypes.c_void_p),
    )


class _TrustData(ctypes.Structure):
    _fields_: ClassVar[Fields] = (
        ("size", wintypes.DWORD),
        ("policy", ctypes.c_void_p),
        ("sip", ctypes.c_void_p),
        ("ui", wintypes.DWORD),
        ("revocation", wintypes.DWORD),
        ("choice", wintypes.DWORD),
        ("file", ctypes.POINTER(_FileInfo)),
        ("action", wintypes.DWORD),
        ("state", wintypes.HANDLE),
        ("url", wintypes.LPCWSTR),
        ("flags", wintypes.DWORD),
        ("context", wintypes.DWORD),
    )


class _Certificate(ctypes.Structure):
    _fields_: ClassVar[Fields] = (
        ("encoding", wintypes.DWORD),
        ("encoded", ctypes.POINTER(ctypes.c_ubyte)),
        ("length", wintypes.DWORD),
    )


class _ProviderCertificate(ctypes.Structure):
    _fields_: ClassVar[Fields] = (
        ("size", wintypes.DWORD),
        ("certificate", ctypes.POINTER(_Certificate)),
    )


# WINTRUST_ACTION_GENERIC_VERIFY_V2
_AUTHENTICODE = _Guid(
    0x00AAC56B,
    0xCD44,
    0x11D0,
    (ctypes.c_ubyte * 8)(0x8C, 0xC2, 0x00, 0xC0, 0x4F, 0xC2, 0x95, 0xEE),
)

_wintrust = ctypes.WinDLL("wintrust", use_last_error=True)
_verify = _wintrust.WinVerifyTrust
_verify.argtypes = [wintypes.HWND, ctypes.POINTER(_Guid), ctypes.POINTER(_TrustData)]
_verify.restype = wintypes.LONG
_provider = _wintrust.WTHelperProvDataFromStateData
_provider.argtypes = [wintypes.HANDLE]
_provider.restype = ctypes.c_void_p
_signer = _wintrust.WTHelperGetProvSignerFromChain
_signer.argtypes = [ctypes.c_void_p, wintypes.DWORD, wintypes.BOOL, wintypes.DWORD]
_signer.restype = ctypes.c_void_p
_of_chain = _wintrust.WTHelperGetProvCertFromChain
_of_chain.argtypes = [ctypes.c_void_p, wintypes.DWORD]
_of_chain.restype = ctypes.POINTER(_ProviderCertificate)
_crypt32 = ctypes.WinDLL("crypt32", use_last_error=True)
_name = _crypt32.CertGetNameStringW
_name.argtypes = [
    ctypes.POINTER(_Certificate),
    wintypes.DWORD,
    wintypes.DWORD,
    ctypes.POINTER(wintypes.DWORD),
    wintypes.LPWSTR,
    wintypes.DWORD,
]
_name.restype = wintypes.DWORD


class WindowsSignatures:
    """Signatures embedded in files."""

    def of(self, path: str) -> Signature | None:
        info = _FileInfo(ctypes.sizeof(_FileInfo), path, None, None)
        data = _TrustData(size=ctypes.sizeof(_TrustData), ui=_UI_NONE, revocation=_REVOKE_NONE)
        data.choice, data.file, data.action = _CHOICE_FILE, ctypes.pointer(info), _VERIFY
        data.flags = _CACHE_ONLY | _REVOCATION_NONE
        code = _verify(None, ctypes.byref(_AUTHENTICODE), ctypes.byref(data)) & 0xFFFFFFFF
        try:
            return None if code in _NO_SIGNATURE else _found(data.state, code)
        finally:
            data.action = _CLOSE
            _verify(None, ctypes.byref(_AUTHENTICODE), ctypes.byref(data))


def _found(state: int | None, code: int) -> Signature:
    problem = "" if code == 0 else f"{words_of(code)} (0x{code:08X})"
    chain = _signer(_provider(state), 0, False, 0) if state else None
    held = _of_chain(chain, 0) if chain else None
    if not held:
        return Signature(
            subject="an unknown signer",
            issuer="",
            thumbprint="",
            problem=problem or "it names no signer",
        )
    certificate = held.contents.certificate
    encoded = ctypes.string_at(certificate.contents.encoded, certificate.contents.length)
    return Signature(
        subject=_written(certificate, 0),
        issuer=_written(certificate, _ISSUER),
        # A thumbprint names a certificate by its SHA-1; it protects nothing by itself.
        thumbprint=hashlib.sha1(encoded, usedforsecurity=False).hexdigest().upper(),
        problem=problem,
    )


def _written(certificate: Any, flags: int) -> str:
    form = wintypes.DWORD(_X500)
    length = _name(certificate, _RDN_TYPE, flags, ctypes.byref(form), None, 0)
    text = ctypes.create_unicode_buffer(length)
    _name(certificate, _RDN_TYPE, flags, ctypes.byref(form), text, length)
    return text.value
