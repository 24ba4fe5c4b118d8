"""Exports: of two commands that are given at the same moment, one is stored, and the other is judged by it."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from front import Front, submission

from tenuto.errors import TenutoError
from tenuto.model.process import Process
from tenuto.service.commands.exports_in_use import ExportsInUse, ExportTakenError, ImportedError
from tenuto.service.commands.leaving_exporters import LeavingExporterError
from tenuto.service.commands.orders import Order

BASE = """
Resources: {Net: {Type: Simulated::Network, Properties: {CidrBlock: 10.0.0.0/16}}}
Outputs: {Net: {Value: !Ref Net, Export: {Name: the-net}}}
"""
APP = """
Resources: {Sub: {Type: Simulated::Subnet, Properties: {NetworkId: !ImportValue the-net, CidrBlock: 10.0.1.0/24}}}
"""


def at_once(monkeypatch: pytest.MonkeyPatch, *commands: Callable[[], Process]) -> list[TenutoError | None]:
    """The refusal of each of the commands, none of which is stored before all were judged once."""
    judged, own, check = threading.Barrier(len(commands)), threading.local(), ExportsInUse.check

    def together(self: ExportsInUse, order: Order) -> None:
        check(self, order)
        if not hasattr(own, "is_judged"):
            own.is_judged = True
            judged.wait(30)

    def refusal(command: Callable[[], Process]) -> TenutoError | None:
        try:
            command()
        except TenutoError as refused:
            return refused
        return None

    monkeypatch.setattr(ExportsInUse, "check", together)
    with ThreadPoolExecutor(len(commands)) as threads:
        return list(threads.map(refusal, commands))


def test_one_of_two_processes_gets_the_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """Both names were free when they were judged."""
    front = Front()
    found = at_once(
        monkeypatch,
        lambda: front.commands.run(submission(BASE), alias="one"),
        lambda: front.commands.run(submission(BASE), alias="two"),
    )
    refused = [one for one in found if one is not None]
    assert [type(one) for one in refused] == [ExportTakenError]
    [kept] = front.store.processes()
    assert f"process {kept.alias} has it" in str(refused[0])


def test_an_export_is_not_taken_away_while_an_importer_comes(monkeypatch: pytest.MonkeyPatch) -> None:
    """The second of them is told of the first, either way."""
    front = Front()
    base = front.commands.run(submission(BASE), alias="base")
    found = at_once(
        monkeypatch,
        lambda: front.commands.run(submission(APP), alias="app"),
        lambda: front.commands.kill(base.fid),
    )
    imported, killed = found
    assert isinstance(imported, LeavingExporterError) != isinstance(killed, ImportedError)
    assert {one.alias for one in front.store.processes()} == ({"base"} if imported else {"base", "app"})
