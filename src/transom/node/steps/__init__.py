"""All steps, in the order they are made; undoing goes the other way."""

from typing import Any

from transom.node.engine.step import Step
from transom.node.steps.adopt import Adopt
from transom.node.steps.artifacts import Artifacts
from transom.node.steps.computer_name import ComputerName
from transom.node.steps.defender import DefenderExclusions
from transom.node.steps.directories import Directories
from transom.node.steps.dns_suffixes import DnsSuffixes
from transom.node.steps.environment import Environment
from transom.node.steps.features import Features
from transom.node.steps.files import Files
from transom.node.steps.firewall import Firewall
from transom.node.steps.host_networks import HostNetworks
from transom.node.steps.join import Join
from transom.node.steps.kubelet_arguments import KubeletArguments
from transom.node.steps.kubelet_settings import KubeletSettings
from transom.node.steps.late_files import LateFiles
from transom.node.steps.preflight import Preflight
from transom.node.steps.program_services import ProgramServices
from transom.node.steps.protected_files import ProtectedFiles
from transom.node.steps.registry import Registry
from transom.node.steps.routes import Routes
from transom.node.steps.services import Services
from transom.node.steps.upgrade import Upgrade

PREPARE: tuple[Step[Any], ...] = (
    Preflight(),
    Adopt(),
    ComputerName(),
    Features(),
    Directories(),
    Environment(),
    Registry(),
    DnsSuffixes(),
    Routes(),
    Firewall(),
    DefenderExclusions(),
    Upgrade(),
    Artifacts(),
    Files(),
    Services(),
    HostNetworks(),
)

STEPS: tuple[Step[Any], ...] = (
    *PREPARE,
    Join(),
    KubeletSettings(),
    KubeletArguments(),
    LateFiles(),
    ProtectedFiles(),
    ProgramServices(),
)
