"""The names of the node program's steps, as plans, events and journals have them.

A name is never reused: a journal of an old release names the step that undoes what it wrote down.
"""

from enum import StrEnum


class StepId(StrEnum):
    """The steps, in the order they are made."""

    PREFLIGHT = "preflight"
    ADOPT = "adopt"
    COMPUTER_NAME = "computer-name"
    FEATURES = "features"
    DIRECTORIES = "directories"
    ENVIRONMENT = "environment"
    REGISTRY = "registry"
    DNS_SUFFIXES = "dns-suffixes"
    ROUTES = "routes"
    FIREWALL = "firewall"
    DEFENDER = "defender"
    UPGRADE = "upgrade"
    ARTIFACTS = "artifacts"
    FILES = "files"
    SERVICES = "services"
    HOST_NETWORKS = "host-networks"
    JOIN = "join"
    KUBELET_SETTINGS = "kubelet-settings"
    KUBELET_ARGUMENTS = "kubelet-arguments"
    LATE_FILES = "late-files"
    PROTECTED_FILES = "protected-files"
    PROGRAM_SERVICES = "program-services"
