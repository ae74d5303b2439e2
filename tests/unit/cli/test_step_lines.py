"""Progress is one plain line per step, with the seconds since the beginning."""

from transom.cli.step_lines import StepLines
from transom.model.event import Event, Level, State


def event(step, state, message, level=Level.INFO, hint=""):
    return Event(
        time="",
        run="r",
        seq=1,
        host="h",
        step=step,
        state=state,
        level=level,
        message=message,
        done=0,
        total=1,
        error="",
        hint=hint,
    )


def test_steps_and_stages_are_lines_and_the_run_itself_is_none(capsys):
    moments = iter((0.0, 1.0, 2.5, 3.0, 3.0))
    lines = StepLines(now=lambda: next(moments))
    lines.stage("connect")
    lines.event(event("", State.STARTED, "join of h"))
    lines.event(event("files", State.CHANGED, "Write files"))
    lines.event(event("join", State.FAILED, "no", Level.ERROR, "look"))
    lines.end()
    assert capsys.readouterr().err.splitlines() == [
        "   1.0 s connect",
        "   2.5 s changed  Write files",
        "   3.0 s failed   join: no",
        "   3.0 s next     look",
    ]
