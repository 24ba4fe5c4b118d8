"""The names and numbers that a shell is offered: those with which the command can do something."""

import click
import pytest

from tenuto.cli.client import completion
from tenuto.cli.commands import approve, proposals, reject
from tenuto.model.ids import JsonMap
from tenuto.model.proposal import ProposalState


class _Client:
    def get(self, listing: str) -> JsonMap:
        return {listing: [{"number": at, "state": state.value} for at, state in enumerate(ProposalState, start=1)]}


def offered(command: click.Command) -> set[str]:
    [argument] = [one for one in command.params if one.name == "number"]
    found = argument.shell_complete(click.Context(command), "")
    states = dict(enumerate(ProposalState, start=1))
    return {states[int(one.value)] for one in found}


def test_proposals_are_offered_to_the_commands_that_their_state_admits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(completion, "_client", _Client)
    assert offered(approve.command) == {ProposalState.OPEN}
    assert offered(reject.command) == {ProposalState.OPEN, ProposalState.APPROVED}
    assert offered(proposals.command) == set(ProposalState)
