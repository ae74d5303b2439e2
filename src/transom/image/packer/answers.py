"""Answer files of Windows setup: of an installation from an ISO image, and of sysprep.

That of an installation is a template of packer's: password and key come at build time and are in no file.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from xml.etree import ElementTree as ET

from transom.facts import rows
from transom.facts.imaging import Installer
from transom.facts.rows import At

NAMESPACE = "urn:schemas-microsoft-com:unattend"
_STATE = "http://schemas.microsoft.com/WMIConfig/2002/State"
_ADD = {"@wcm:action": "add"}
_COMPONENT = {
    "processorArchitecture": "amd64",
    "publicKeyToken": "31bf3856ad364e35",
    "language": "neutral",
    "versionScope": "nonSxS",
}
_LANGUAGE = "en-US"
_SETUP = "cmd.exe /c for %d in (D E F G H) do if exist %d:\\setup.cmd cmd.exe /c %d:\\setup.cmd"
_PARTITIONS = {
    "bios": [("Primary", 500, "NTFS"), ("Primary", 0, "NTFS")],
    "uefi": [("EFI", 100, "FAT32"), ("MSR", 16, ""), ("Primary", 0, "NTFS")],
}

Settings = Mapping[str, Any]


class Many(list[Settings]):
    """Settings that repeat one element."""


def installation(firmware: str) -> bytes:
    """The answers for an installation: partitions, edition, administrator, and SSH at first logon."""
    partitions = _PARTITIONS[firmware]
    installed_to = {"DiskID": "0", "PartitionID": str(len(partitions))}
    disk = {
        **_ADD,
        "DiskID": "0",
        "WillWipeDisk": "true",
        "CreatePartitions": {"CreatePartition": Many(_create(partitions))},
        "ModifyPartitions": {"ModifyPartition": Many(_modify(partitions))},
    }
    locales = {
        "InputLocale": _LANGUAGE,
        "SystemLocale": _LANGUAGE,
        "UILanguage": _LANGUAGE,
        "UserLocale": _LANGUAGE,
    }
    password = {"Value": "${administrator_password}", "PlainText": "true"}
    wanted: Mapping[str, Mapping[str, Settings]] = {
        "windowsPE": {
            "Microsoft-Windows-International-Core-WinPE": {
                "SetupUILanguage": {"UILanguage": _LANGUAGE},
                **locales,
            },
            "Microsoft-Windows-PnpCustomizationsWinPE": {
                "DriverPaths": {
                    "PathAndCredentials": Many(
                        {**_ADD, "@wcm:keyValue": str(number), "Path": rf"{letter}:\drivers"}
                        for number, letter in enumerate("DEF", start=1)
                    )
                }
            },
            "Microsoft-Windows-Setup": {
                "DiskConfiguration": {"Disk": disk, "WillShowUI": "OnError"},
                "ImageInstall": {
                    "OSImage": {
                        "InstallFrom": {
                            "MetaData": {"Key": "/IMAGE/INDEX", "Value": "${image_index}"}
                        },
                        "InstallTo": installed_to,
                        "WillShowUI": "OnError",
                    }
                },
                "UserData": {
                    "AcceptEula": "true",
                    "%if": 'product_key != ""',
                    "ProductKey": {"Key": "${product_key}", "WillShowUI": "OnError"},
                },
            },
        },
        "specialize": {"Microsoft-Windows-Shell-Setup": {"ComputerName": "*", "TimeZone": "UTC"}},
        "oobeSystem": {
            "Microsoft-Windows-International-Core": locales,
            "Microsoft-Windows-Shell-Setup": {
                "AutoLogon": {
                    "Enabled": "true",
                    "LogonCount": "1",
                    "Username": "Administrator",
                    "Password": password,
                },
                "FirstLogonCommands": {
                    "SynchronousCommand": {
                        **_ADD,
                        "Order": "1",
                        "Description": "SSH by key",
                        "CommandLine": _SETUP,
                    }
                },
                "OOBE": {"HideEULAPage": "true", "ProtectYourPC": "3"},
                "UserAccounts": {"AdministratorPassword": password},
            },
        },
    }
    return _document(wanted)


def copies() -> bytes:
    """The answers for a machine made of the image: cloudbase-init runs while Windows is set up."""
    folder = rows.one(Installer, "cloudbase-init-installer", At()).folder
    command = (
        rf'cmd.exe /c ""{folder}\Python\Scripts\cloudbase-init.exe" '
        rf'--config-file "{folder}\conf\cloudbase-init-unattend.conf" && exit 1 || exit 2"'
    )
    wanted: Mapping[str, Mapping[str, Settings]] = {
        "generalize": {"Microsoft-Windows-PnpSysprep": {"PersistAllDeviceInstalls": "true"}},
        "specialize": {
            "Microsoft-Windows-Deployment": {
                "RunSynchronous": {
                    "RunSynchronousCommand": {
                        **_ADD,
                        "Order": "1",
                        "Path": command,
                        "Description": "cloudbase-init",
                        "WillReboot": "OnRequest",
                    }
                }
            },
            "Microsoft-Windows-Shell-Setup": {"ComputerName": "*", "TimeZone": "UTC"},
        },
        "oobeSystem": {
            "Microsoft-Windows-Shell-Setup": {
                "OOBE": {
                    "HideEULAPage": "true",
                    "ProtectYourPC": "3",
                    "SkipMachineOOBE": "true",
                    "SkipUserOOBE": "true",
                }
            }
        },
    }
    return _document(wanted)


def _create(partitions: Sequence[tuple[str, int, str]]) -> Iterator[Settings]:
    for number, (kind, size, _) in enumerate(partitions, start=1):
        room = {"Size": str(size)} if size else {"Extend": "true"}
        yield {**_ADD, "Order": str(number), "Type": kind, **room}


def _modify(partitions: Sequence[tuple[str, int, str]]) -> Iterator[Settings]:
    for number, (kind, _, form) in enumerate(partitions, start=1):
        if form:
            active = {"Active": "true"} if kind == "Primary" and number == 1 else {}
            letter = {"Letter": "C"} if number == len(partitions) else {}
            place = {"Order": str(number), "PartitionID": str(number)}
            yield {**_ADD, **place, "Format": form, **active, **letter}


def _document(wanted: Mapping[str, Mapping[str, Settings]]) -> bytes:
    root = ET.Element("unattend", {"xmlns": NAMESPACE, "xmlns:wcm": _STATE})
    for name, components in wanted.items():
        settings = ET.SubElement(root, "settings", {"pass": name})
        for component, values in components.items():
            found = ET.SubElement(settings, "component", {"name": component, **_COMPONENT})
            _fill(found, values)
    ET.indent(root, space=" ")
    text = ET.tostring(root, "unicode")
    return f'<?xml version="1.0" encoding="utf-8"?>\n{text}\n'.encode()


def _fill(parent: ET.Element, values: Settings) -> None:
    condition = ""
    for name, value in values.items():
        if name == "%if":
            condition = value
            continue
        if name.startswith("@"):
            parent.set(name[1:], value)
            continue
        for item in value if isinstance(value, Many) else (value,):
            child = ET.SubElement(parent, name)
            if isinstance(item, Mapping):
                _fill(child, item)
            else:
                child.text = item
            if condition:
                _only_if(parent, child, condition)
                condition = ""


def _only_if(parent: ET.Element, child: ET.Element, condition: str) -> None:
    """Let packer leave the element out; the words stand between elements, where XML takes any text."""
    before = parent[-2]
    before.tail = "%{ if " + condition + " }"
    child.tail = "%{ endif }"
