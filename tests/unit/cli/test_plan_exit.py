"""The exit code of a plan says whether a property would be changed."""

import pytest

from tenuto.cli.processes.following import show_plan
from tenuto.cli.terminal.exits import Exit
from tenuto.cli.terminal.session import Session
from tenuto.model.ids import JsonMap
from tenuto.model.verb import Verb
from tenuto.settings import Settings


def document(*verbs: Verb) -> JsonMap:
    """A plan of an operation of each of these verbs."""
    operation = {"type": "AWS::EC2::Instance", "logical_id": "Host", "id": "i-1", "reason": "", "changes": []}
    return {
        "operations": [{**operation, "op": verb.value} for verb in verbs],
        "summary": {**{verb.value: verbs.count(verb) for verb in Verb}, "unchanged": 0},
    }


@pytest.mark.parametrize(
    ("verbs", "code"),
    [((), Exit.DONE), ((Verb.REFRESH,), Exit.DONE), ((Verb.REFRESH, Verb.MODIFY), Exit.CHANGES)],
)
def test_a_refresh_alone_is_no_change(verbs: tuple[Verb, ...], code: Exit, capsys: pytest.CaptureFixture[str]) -> None:
    assert show_plan(Session(Settings.load({}, ())), document(*verbs), detailed=True) == code
    told = capsys.readouterr().out
    assert ("↻ refresh Host (AWS::EC2::Instance) [i-1]\n" in told) is (Verb.REFRESH in verbs)
