"""What the lab and its tests use to look into a host's HNS and to make it fail."""

import json
import socket
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from transom.errors import PermanentError, TemporaryError
from transom_lab.hns.faults import Fault
from transom_lab.hns.service import Answer
from transom_lab.hns.store import Json
from transom_lab.hns.wire import control_address


@dataclass(frozen=True, slots=True)
class HnsClient:
    """Talks to the service whose state is in `directory`, from any network namespace."""

    directory: Path
    timeout_s: float = 60.0

    def state(self) -> Json:
        """Everything that is programmed."""
        state: Json = self._ask({"do": "state"})
        return state

    def reset(self) -> None:
        """Forget everything."""
        self._ask({"do": "reset"})

    def reboot(self) -> None:
        """Forget what does not survive a reboot."""
        self._ask({"do": "reboot"})

    def fail(self, fault: Fault) -> None:
        """Make calls fail or be slow."""
        self._ask({"do": "fault", **asdict(fault)})

    def interrupt_at_next_switch(self, *, down_s: float, lose_addresses: bool = False) -> None:
        """Cut the host's network when the next virtual switch is made, as Windows does."""
        self._ask({"do": "interrupt", "down_s": down_s, "lose_addresses": lose_addresses})

    def heal(self) -> None:
        """Forget every fault."""
        self._ask({"do": "heal"})

    def call(self, function: str, *, id_: str = "", parent: str = "", text: str = "") -> Answer:
        """Call a function of the DLLs, as a program in the host would."""
        request = {"do": "call", "function": function, "id": id_, "parent": parent, "text": text}
        answer = self._ask(request)
        return Answer(answer["hresult"], answer["text"])

    def _ask(self, request: Json) -> Any:
        try:
            with (
                control_address(self.directory) as address,
                socket.socket(socket.AF_UNIX) as connection,
            ):
                connection.settimeout(self.timeout_s)
                connection.connect(address)
                connection.sendall(json.dumps(request).encode() + b"\n")
                with connection.makefile("rb") as stream:
                    answer = json.loads(stream.read())
        except (OSError, ValueError) as error:
            raise TemporaryError(
                f"cannot reach the HNS stand-in: {error}",
                subject=str(self.directory),
                hint="is the host up? `transom lab status` says",
            ) from error
        if "error" in answer:
            raise PermanentError(answer["error"], subject=str(self.directory))
        return answer["result"]
