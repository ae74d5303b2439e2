r"""What the programs of Windows answer that the product calls: the contract the lab's stand-ins keep.

Run on a Windows Server by `test_programs.py`, and in a lab host by its Python as a program of its own, which is
why it is one file of the standard library. Everything it makes has `transom-contract` in its name and is
removed again. Administrators only.
"""

import json
import subprocess
import sys
from dataclasses import dataclass

_TIMEOUT_S = 120
_NAME = "transom-contract"
_FOLDER = rf"C:\{_NAME}"
_RULE = f"name={_NAME}"


@dataclass(frozen=True)
class Answer:
    """A command line, its exit code, and lines of its output, spaces collapsed; more lines may come."""

    command: str
    code: int
    lines: tuple[str, ...] = ()


@dataclass(frozen=True)
class Case:
    """Commands one after another, and those that leave the machine as it was."""

    name: str
    answers: tuple[Answer, ...]
    after: tuple[str, ...] = ()


CASES = (
    Case(
        "a service that is not there",
        (
            Answer(
                f"sc query {_NAME}",
                1060,
                (
                    "[SC] EnumQueryServicesStatus:OpenService FAILED 1060:",
                    "The specified service does not exist as an installed service.",
                ),
            ),
            Answer(f"sc delete {_NAME}", 1060, ("[SC] OpenService FAILED 1060:",)),
        ),
    ),
    Case(
        "the life of a service",
        (
            Answer(
                rf'sc create {_NAME} start= demand binPath= "C:\Windows\System32\cmd.exe /c rem"',
                0,
                ("[SC] CreateService SUCCESS",),
            ),
            Answer(
                rf"sc create {_NAME} binPath= C:\Windows\System32\cmd.exe",
                1073,
                ("[SC] CreateService FAILED 1073:", "The specified service already exists."),
            ),
            Answer(
                f"sc qc {_NAME}",
                0,
                (
                    "[SC] QueryServiceConfig SUCCESS",
                    f"SERVICE_NAME: {_NAME}",
                    "TYPE : 10 WIN32_OWN_PROCESS",
                    "START_TYPE : 3 DEMAND_START",
                    "ERROR_CONTROL : 1 NORMAL",
                    r"BINARY_PATH_NAME : C:\Windows\System32\cmd.exe /c rem",
                    f"DISPLAY_NAME : {_NAME}",
                    "SERVICE_START_NAME : LocalSystem",
                ),
            ),
            Answer(
                f"sc query {_NAME}",
                0,
                (f"SERVICE_NAME: {_NAME}", "STATE : 1 STOPPED", "WIN32_EXIT_CODE : 1077 (0x435)"),
            ),
            Answer(f"sc config {_NAME} start= auto", 0, ("[SC] ChangeServiceConfig SUCCESS",)),
            Answer(
                f"sc failure {_NAME} reset= 60 actions= restart/1000/restart/2000",
                0,
                ("[SC] ChangeServiceConfig2 SUCCESS",),
            ),
            Answer(
                f"sc qfailure {_NAME}",
                0,
                (
                    "[SC] QueryServiceConfig2 SUCCESS",
                    "RESET_PERIOD (in seconds) : 60",
                    "FAILURE_ACTIONS : RESTART -- Delay = 1000 milliseconds.",
                    "RESTART -- Delay = 2000 milliseconds.",
                ),
            ),
            Answer(
                f"sc stop {_NAME}",
                1062,
                ("[SC] ControlService FAILED 1062:", "The service has not been started."),
            ),
            Answer(f"sc delete {_NAME}", 0, ("[SC] DeleteService SUCCESS",)),
        ),
        (f"sc delete {_NAME}",),
    ),
    Case(
        "firewall rules",
        (
            Answer(
                f"netsh advfirewall firewall show rule {_RULE}",
                1,
                ("No rules match the specified criteria.",),
            ),
            Answer(
                f"netsh advfirewall firewall add rule {_RULE} dir=in action=allow protocol=TCP"
                " localport=10250",
                0,
                ("Ok.",),
            ),
            Answer(
                f"netsh advfirewall firewall show rule {_RULE}",
                0,
                (
                    f"Rule Name: {_NAME}",
                    "Enabled: Yes",
                    "Direction: In",
                    "Protocol: TCP",
                    "LocalPort: 10250",
                    "Action: Allow",
                    "Ok.",
                ),
            ),
            Answer(
                f"netsh advfirewall firewall delete rule {_RULE}", 0, ("Deleted 1 rule(s).", "Ok.")
            ),
            Answer(
                f"netsh advfirewall firewall delete rule {_RULE}",
                1,
                ("No rules match the specified criteria.",),
            ),
        ),
        (f"netsh advfirewall firewall delete rule {_RULE}",),
    ),
    Case(
        "access to a folder",
        (
            Answer(rf"md {_FOLDER}", 0),
            Answer(
                rf"icacls {_FOLDER} /inheritance:r /grant *S-1-5-18:(OI)(CI)F"
                " /grant *S-1-5-32-544:(OI)(CI)F",
                0,
                (
                    f"processed file: {_FOLDER}",
                    "Successfully processed 1 files; Failed processing 0 files",
                ),
            ),
            Answer(
                rf"icacls {_FOLDER}",
                0,
                (
                    rf"{_FOLDER} NT AUTHORITY\SYSTEM:(OI)(CI)(F)",
                    r"BUILTIN\Administrators:(OI)(CI)(F)",
                    "Successfully processed 1 files; Failed processing 0 files",
                ),
            ),
        ),
        (rf"rd /s /q {_FOLDER}",),
    ),
    Case(
        "Windows features",
        (
            Answer(
                "dism /online /get-featureinfo /featurename:Containers /english",
                0,
                ("Feature Name : Containers", "The operation completed successfully."),
            ),
            Answer(
                f"dism /online /get-featureinfo /featurename:{_NAME} /english",
                0x800F080C,
                ("Error: 0x800f080c", f"Feature name {_NAME} is unknown."),
            ),
        ),
    ),
    Case(
        "persistent routes",
        (
            Answer("route -p add 203.0.113.0 mask 255.255.255.0 {gateway}", 0, ("OK!",)),
            Answer("route delete 203.0.113.0 mask 255.255.255.0", 0, ("OK!",)),
        ),
        ("route delete 203.0.113.0 mask 255.255.255.0",),
    ),
    Case(
        "no shutdown to abort",
        (
            Answer(
                "shutdown /a",
                1116,
                ("Unable to abort the system shutdown because no shutdown was in progress.(1116)",),
            ),
        ),
    ),
)


def problems(case: Case, *, gateway: str) -> list[str]:
    """What of the case does not hold on this machine."""
    found = []
    try:
        for answer in case.answers:
            command = answer.command.replace("{gateway}", gateway)
            code, said = _run(command)
            if code != answer.code:
                found.append(f"{command}: exit code {code}, not {answer.code}: {said}")
            found += [
                f"{command}: no line {line!r}: {said}" for line in answer.lines if line not in said
            ]
    finally:
        for command in case.after:
            _run(command)
    return found


def _run(command: str) -> tuple[int, list[str]]:
    """Through cmd, as written; both streams together, without empty lines."""
    done = subprocess.run(
        f'cmd /d /s /c "{command}"',
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        timeout=_TIMEOUT_S,
        check=False,
    )
    lines = [" ".join(line.split()) for line in done.stdout.splitlines()]
    return done.returncode & 0xFFFF_FFFF, [line for line in lines if line]


def main() -> int:
    """Check every case and print what does not hold, by case."""
    report = {case.name: problems(case, gateway=sys.argv[1]) for case in CASES}
    sys.stdout.write(json.dumps(report))
    return 0


if __name__ == "__main__":
    sys.exit(main())
