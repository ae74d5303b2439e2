r"""The node program on one host: brought there, asked, told, watched, and taken away again.

It lies in C:\k\transom beside its Python. What was brought is written
down there in a small manifest, so that a second visit sends nothing. It is always started by the same
command without arguments; the order goes in on stdin.
"""

import hashlib
import io
import json
import re
import secrets
import zipfile
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import field, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import transom
from transom.errors import (
    PermanentError,
    TemporaryError,
    TransomError,
    UsageError,
)
from transom.fleet.on_host import folder
from transom.fleet.on_host.answer import last_document, read_answer, text_of, unusable
from transom.fleet.on_host.run_events import Ended, OnEvent, RunWatch, failure
from transom.model.answers import (
    CommandResult,
    Inventory,
    Leftover,
    Leftovers,
    NodeStatus,
    Survey,
)
from transom.model.event import State
from transom.model.order import Order, write_order
from transom.model.places import HOME, PARENT
from transom.model.records import dataclass
from transom.model.request import Request, Verb
from transom.node.engine.disruption import Disruption
from transom.node.packaging.build import build_node_zip
from transom.remote.session import Completed, Session

if TYPE_CHECKING:
    from transom.model.sight import Given

BROUGHT = "brought.json"
_SUM = re.compile(r"[0-9a-f]{64}")
_QUICK_S = 120.0
_LOOK_S = 600.0
_COLLECT, _STATE = "collect", "state"
_VISIT = "transom-visit-"
_VISIT_NAME = re.compile(_VISIT + "[0-9a-f]{8}")


@dataclass(frozen=True, slots=True)
class Brought:
    """The program's bytes: Python's own archive, and the zip that runs in it."""

    python: bytes = field(repr=False)
    program: bytes = field(repr=False)

    @staticmethod
    def with_python(archive: bytes) -> "Brought":
        """The program of this very version of Transom, with that Python."""
        return Brought(archive, own_program())

    def manifest(self, made: tuple[str, ...]) -> bytes:
        """What is written down on the host; `made` are the directories that were not there."""
        sums = {
            "python": hashlib.sha256(self.python).hexdigest(),
            "program": hashlib.sha256(self.program).hexdigest(),
        }
        return json.dumps({**sums, "made": list(made)}).encode()

    def members(self) -> Mapping[str, bytes]:
        """The files of Python, by their names in its folder."""
        try:
            with zipfile.ZipFile(io.BytesIO(self.python)) as opened:
                found = {name: opened.read(name) for name in sorted(opened.namelist())}
        except zipfile.BadZipFile as error:
            raise UsageError(
                "the Python for hosts is no zip", hint="use python.org's embeddable package"
            ) from error
        for name in found:
            if "/" in name or "\\" in name:
                raise UsageError(f"the Python for hosts has a folder: {name}")
        return found

    def files(self) -> Mapping[str, bytes]:
        """The folder as it lies on a host, for those who copy it there themselves."""
        python = {f"python/{name}": content for name, content in self.members().items()}
        return {"node.pyz": self.program, **python, BROUGHT: self.manifest(())}


Bring = Callable[[], Brought]


@cache
def own_program() -> bytes:
    """The node program of this very version of Transom."""
    return build_node_zip(Path(transom.__file__).parent)


@cache
def own_sum() -> str:
    """Its SHA-256."""
    return hashlib.sha256(own_program()).hexdigest()


class NodeProgram:
    """The node program of the host behind a session.

    Whose its folder is, is asked once, before anything else.
    """

    def __init__(self, session: Session, home: str = HOME) -> None:
        self.session = session
        self._home = home
        self._python = rf"{home}\python"
        self._zip = rf"{home}\node.pyz"
        self._note = rf"{home}\{BROUGHT}"
        self._command = (rf"{self._python}\python.exe", self._zip)
        self._has_home: bool | None = None
        self._made: tuple[str, ...] = ()

    @classmethod
    def visiting(cls, session: Session) -> "NodeProgram":
        """A program for one visit, in a folder of its own: what others keep on the host is not touched."""
        program = cls(session, rf"{PARENT}\{_VISIT}{secrets.token_hex(4)}")
        program._has_home = False  # nobody else knows its name
        return program

    async def bring(self, brought: Brought) -> bool:
        """Have the program there; False where it already was."""
        there = await self._manifest()
        wanted = json.loads(brought.manifest(()))
        if there is not None and {**there, "made": []} == wanted:
            return False
        made = self._made = tuple(there["made"]) if there else ()
        if not self._has_home:
            made = self._made = (*made, *await folder.make(self.session, self._home))
            self._has_home = True
        if there is None or there["python"] != wanted["python"]:
            # Written down first, so that a visit that is cut off here can still be taken back.
            await self.session.put(self._note, _unfinished(made))
            await self._set_python_aside(there["python"] if there else "")
            await self._bring_python(brought.members())
        await self._put_program(brought.program, brought.manifest(made))
        return True

    async def refresh(self) -> None:
        """Have the program of this very version where one is already; its Python stays."""
        there = await self._manifest()
        if there is not None and there["program"] not in ("", own_sum()):
            manifest = json.dumps({**there, "program": own_sum()}).encode()
            await self._put_program(own_program(), manifest)

    async def is_there(self) -> bool:
        """Whether a program was brought to its end."""
        there = await self._manifest()
        return there is not None and there["program"] != ""

    async def inventory(self) -> Inventory:
        """What the host is and has."""
        return read_answer(Inventory, await self._ask("inventory"))

    async def status(self) -> NodeStatus:
        """What the journal says."""
        return read_answer(NodeStatus, await self._ask("status"))

    async def look(self, *words: str, given: "Given") -> Mapping[str, Any]:
        """What a verb that only looks says; to have found something is no failure."""
        verb, *options = words
        if verb == _COLLECT and self._is_visit:
            options += ["--into", self._home]
        order = Order(verb=verb, options=(*options, "--given"), input=given)
        return await self._answer(order, timeout_s=_LOOK_S)

    async def leftovers(self, request: Request) -> tuple[Leftover, ...]:
        """What a reset with force would take."""
        return read_answer(Leftovers, await self._ask("leftovers", request)).items

    async def survey(self, request: Request) -> Survey | None:
        """Everything a plan needs, by one command; None where no program answers."""
        asked = replace(request, verb=Verb.PLAN, plan_for=request.verb)
        stdin = write_order(Order(verb="survey", input=asked))
        if not await self._is_known():
            return None
        done = await self.session.run(self._command, stdin=stdin, timeout_s=_QUICK_S)
        document = last_document(done.stdout)
        if document.get("kind") == "Failure":
            raise _failed(document)
        return _survey(document) if document.get("kind") == "Survey" else None

    async def run(self, request: Request, *, name: str, on_event: OnEvent) -> Ended:
        """Start a run and follow it to its end; raise TemporaryError where the session is cut."""
        order = Order(verb=request.verb.value, options=("--run", name), input=request)
        return await self._follow(order, request, RunWatch(on_event))

    async def attach(self, request: Request, *, name: str, seen: int, on_event: OnEvent) -> Ended:
        """Go on following a run; events up to the number `seen` are not passed on again."""
        order = Order(verb="attach", options=("--run", name))
        return await self._follow(order, request, RunWatch(on_event, seen=seen))

    async def command(self, words: Sequence[str], *, timeout_s: float) -> CommandResult:
        """Run a program of the user on the host, its words as they are: no shell sees them."""
        options = ("--timeout", str(timeout_s), "--", *words)
        order = Order(verb="command", options=options)
        answer = await self._answer(order, timeout_s=timeout_s + _QUICK_S)
        return read_answer(CommandResult, answer)

    async def cancel(self) -> None:
        """Ask the run to stop after its step."""
        await self._start(Order(verb="cancel"), timeout_s=_QUICK_S)

    async def remove(self) -> None:
        """Take the program away, and the directories that were made for it."""
        made = {*self._made}
        if not self._is_visit:
            manifest = await self._manifest()
            made = {*(manifest["made"] if manifest else ()), *await self._remove_visits()}
            if manifest is None:
                self._has_home = False  # what is there is not ours to remove
        if self._has_home:
            await self.session.remove_tree(self._home)
            self._has_home = False
        if PARENT in made:
            # Never with all that is in it: somebody else may be at work there by now.
            await self.session.remove_directory(PARENT)

    async def _remove_visits(self) -> list[str]:
        """Take away what visits that were cut off have left; the directories that they had made."""
        # Names of any other form are not ours, and become part of no script.
        left = [name for name in await self.session.names(PARENT) if _VISIT_NAME.fullmatch(name)]
        made: list[str] = []
        for path in await folder.ours(self.session, [rf"{PARENT}\{name}" for name in left]):
            note = await _read_note(self.session, rf"{path}\{BROUGHT}")
            made += note["made"] if note else ()
            await self.session.remove_tree(path)
        return made

    async def remove_unfinished(self) -> None:
        """Take away what a visit that was cut off has left; refuse where a journal is there."""
        if _STATE in await self._names():
            raise PermanentError(
                rf"{HOME} has a journal, and the program beside it is not whole",
                subject=HOME,
                hint="run `transom apply` or `transom join` first, which brings it again",
            )
        await self.remove()

    @property
    def _is_visit(self) -> bool:
        return self._home != HOME

    async def _is_known(self) -> bool:
        """Whether the folder is there; raise where it, or the one above, is not ours."""
        if self._has_home is None:
            self._has_home = await folder.is_there(self.session)
        return self._has_home

    async def _start(
        self, order: Order, *, timeout_s: float, on_line: Callable[[bytes], None] | None = None
    ) -> Completed:
        if not await self._is_known():
            raise PermanentError(
                f"the host does not have {self._home}",
                subject=self._home,
                hint="run the same command again, which brings it",
            )
        return await self.session.run(
            self._command, stdin=write_order(order), timeout_s=timeout_s, on_line=on_line
        )

    async def _names(self) -> tuple[str, ...]:
        return await self.session.names(self._home) if await self._is_known() else ()

    async def _follow(self, order: Order, request: Request, watch: RunWatch) -> Ended:
        done = await self._start(order, timeout_s=request.deadline_s + _QUICK_S, on_line=watch.line)
        if watch.ended is not None:
            return watch.ended
        said = last_document(done.stdout)
        if said.get("kind") == "Failure":
            return Ended(
                State.FAILED,
                tuple(watch.changed),
                text_of(said, "message"),
                text_of(said, "error"),
                text_of(said, "hint"),
            )
        raise _broken(order.verb, done)

    async def _ask(self, verb: str, request: Request | None = None) -> Mapping[str, Any]:
        order = Order(verb=verb, input=request)
        return await self._answer(order, timeout_s=_QUICK_S)

    async def _answer(self, order: Order, *, timeout_s: float) -> Mapping[str, Any]:
        """What it answers; the document decides, for a shell may make 1 of every exit code but 0."""
        done = await self._start(order, timeout_s=timeout_s)
        document = last_document(done.stdout)
        if document.get("kind") == "Failure":
            raise _failed(document)
        if not document:
            raise _broken(order.verb, done)
        return document

    async def _manifest(self) -> dict[str, Any] | None:
        return await _read_note(self.session, self._note) if await self._is_known() else None

    async def _put_program(self, program: bytes, manifest: bytes) -> None:
        await self.session.put(self._zip, program)
        await self.session.put(self._note, manifest)
        if not self._is_visit:
            # It starts sooner then, and does without where this fails.
            await self._start(Order(verb="compile"), timeout_s=_QUICK_S)

    async def _set_python_aside(self, sum_: str) -> None:
        """Move the files of another Python away; services and pods that run them go on.

        None may stay: it could be loaded by what is started next. The node program removes them
        once nothing runs them any more.
        """
        names = await self.session.names(self._python)
        if not names:
            return
        old = rf"{self._home}\old"
        await self.session.make_directory(old)
        name = sum_ if _SUM.fullmatch(sum_) else "unfinished"
        taken, place, number = await self.session.names(old), name, 1
        while place in taken:
            number += 1
            place = f"{name}-{number}"
        await self.session.make_directory(rf"{old}\{place}")
        for file in names:
            await self.session.move(rf"{self._python}\{file}", rf"{old}\{place}\{file}")

    async def _bring_python(self, members: Mapping[str, bytes]) -> None:
        await self.session.make_directory(self._python)
        for name, content in members.items():
            await self.session.put(rf"{self._python}\{name}", content)


@asynccontextmanager
async def present(
    session: Session, program: NodeProgram, bring: Bring
) -> AsyncIterator[NodeProgram]:
    """Have this version's program on a host for a while: the one that stays there, or one for the visit."""
    if await program.is_there():
        await program.refresh()
        yield program
        return
    guest = NodeProgram.visiting(session)
    try:
        await guest.bring(bring())
        yield guest
    finally:
        await guest.remove()


async def _read_note(session: Session, path: str) -> dict[str, Any] | None:
    """What was brought, as it was written down; None where that is missing or broken."""
    content = await session.read(path)
    if content is None:
        return None
    try:
        found = json.loads(content)
        sums = {key: str(found[key]) for key in ("python", "program")}
        return {**sums, "made": [str(path) for path in found["made"]]}
    except (ValueError, KeyError, TypeError, RecursionError):
        return None


def _unfinished(made: tuple[str, ...]) -> bytes:
    return json.dumps({"python": "", "program": "", "made": list(made)}).encode()


def _survey(document: Mapping[str, Any]) -> Survey | None:
    """The survey; None where it has the form of another version's program, to be replaced first."""
    try:
        found = read_answer(Survey, document)
    except PermanentError:
        if document.get("program") != own_sum():
            return None
        raise
    unknown = {step.disruption for step in found.plan.steps} - {item.value for item in Disruption}
    if unknown:
        raise unusable(f"no disruption is called {min(unknown)}")
    return found


def _failed(document: Mapping[str, Any]) -> TransomError:
    return failure(
        text_of(document, "error"),
        text_of(document, "message") or "the node program failed and did not say why",
        subject=text_of(document, "subject"),
        hint=text_of(document, "hint"),
    )


def _broken(what: str, done: Completed) -> TransomError:
    text = (done.stdout + done.stderr).decode(errors="replace").strip()[-1000:]
    if not text:
        return TemporaryError(f"{what} ended with {done.code} and said nothing")
    return PermanentError(
        f"{what} ended with {done.code} on the host: {text}",
        hint=r"look at what is in C:\k\transom there, and who may write to it",
    )
