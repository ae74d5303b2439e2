"""The programs that HostProcess pods or services run on a host: their command lines, from the facts."""

from transom.facts.install import ProgramArgumentRow, ProgramRow, SourceVipRow
from transom.model.recipe import Program, SourceVip
from transom.recipe.case import Case


def programs(case: Case) -> tuple[Program, ...]:
    """The programs of a host, in the order they are started."""
    return tuple(_program(case, row) for row in case.shape.rows(ProgramRow))


def _program(case: Case, row: ProgramRow) -> Program:
    arguments = [a for a in case.shape.rows(ProgramArgumentRow) if a.program == row.name]
    command = (case.say(row.program), *(case.say(a.text) for a in arguments))
    pairs = (case.say(entry).partition("=") for entry in row.environment)
    return Program(
        name=row.name,
        version=case.say(row.version),
        command=command,
        environment={name: value for name, _, value in pairs},
        network=case.shape.network_name,
        makes_network=row.makes_network,
        source_vip=_source_vip(case) if any("{{sourceVIP}}" in word for word in command) else None,
        leaves=row.leaves,
        restart_on=row.restart_on,
        restart_delays_s=row.restart_delays_s,
        wait_s=row.wait_s,
        log=case.say(row.log),
        log_bytes=row.log_bytes,
        why=" ".join((row.id, *(a.id for a in arguments))),
    )


def _source_vip(case: Case) -> SourceVip:
    (row,) = case.shape.rows(SourceVipRow)
    named = getattr(case.shape.fleet.network.plugin, "source_endpoint", None)
    if named:
        return SourceVip(endpoint=named, reserve_with="", leases="", why=row.id)
    return SourceVip(
        endpoint=row.endpoint,
        reserve_with=case.say(row.reserve_with),
        leases=case.say(row.leases),
        why=row.id,
    )
