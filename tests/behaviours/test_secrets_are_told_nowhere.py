"""A refusal that repeats the properties of a request is stored, logged, sent and shown without its secrets."""

import base64
import json
from collections.abc import Iterator, MutableMapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote, quote_plus

import pytest
import structlog
from desk import Desk, a_desk
from structlog.testing import capture_logs

from tenuto.conductor.notifier import Notifier
from tenuto.core.access.masking import MASK
from tenuto.model.ids import JsonMap
from tenuto.model.notification import Notification, Sink, SinkKind
from tenuto.ports.store_administration import CreateSink
from tenuto.providers.simulated.faults import FaultKind
from tenuto.storage.open import open_store
from tenuto_testing.store_samples import a_sink

OLD, NEW = 'Zq9/old "pass" & Sésame-1', 'Xy7/new "pass" & Sésame-2'
NET = "  Net: {Type: Simulated::Network, Properties: {CidrBlock: 10.0.0.0/16, Label: !Ref Password}}"
SUB = "  Sub: {Type: Simulated::Subnet, Properties: {NetworkId: !Ref Net, CidrBlock: 10.0.1.0/24}}"
GRP = '  Grp: {Type: Simulated::Group, Properties: {NetworkId: !Ref Net, Label: !Sub "user:${Password}"}}'
TEMPLATE = "\n".join(("Parameters: {Password: {Type: String, NoEcho: true}}", "Resources:", NET, SUB, GRP, ""))
COMMANDS = (
    *(("status", "web"), ("status", "web", "--verbose"), ("--json", "status", "web"), ("--json", "status")),
    *(("plan", "web"), ("--json", "plan", "web"), ("explain", "web"), ("--json", "explain", "web")),
    *(("history", "web"), ("--json", "history", "web"), ("ops", "web"), ("--json", "ops", "web")),
    *(("events", "web"), ("--json", "events", "web")),
)

Log = Sequence[MutableMapping[str, Any]]


class Listener:
    """Receives the notifications."""

    def __init__(self) -> None:
        self.told: list[JsonMap] = []

    def can_reach(self, sink: Sink) -> bool:
        return True

    def trouble(self, sink: Sink) -> str:
        return ""

    def deliver(self, sink: Sink, notification: Notification) -> None:
        self.told.append(notification.document)


@pytest.fixture
def desk(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Iterator[Desk]:
    with a_desk(tmp_path, capsys, store=open_store(str(tmp_path / "tenuto.db"))) as found:
        found.world.store.commit([CreateSink(sink=a_sink(processes=(), accounts=(), cursor=0))])
        yield found


@pytest.fixture
def log() -> Iterator[Log]:
    with capture_logs(processors=[structlog.processors.format_exc_info]) as logged:
        yield logged


def written(secret: str) -> set[str]:
    """A secret as a text may hold it."""
    encoded = base64.b64encode(secret.encode()).decode().rstrip("=")
    inner = json.dumps(secret)[1:-1]
    return {secret, quote(secret), quote_plus(secret), inner, json.dumps(inner)[1:-1], repr(secret)[1:-1], encoded}


def places(desk: Desk, log: Log) -> dict[str, str]:
    """Everything that is stored, logged, sent or shown."""
    listener = Listener()
    Notifier(store=desk.world.store, transports={SinkKind.SNS: listener}, clock=desk.world.clock).step()
    found = {"log": repr(list(log)) + "\n".join(str(one.get("exception", "")) for one in log)}
    found["notifications"] = json.dumps(listener.told, ensure_ascii=False) + json.dumps(listener.told)
    for arguments in COMMANDS:
        ended = desk(*arguments)
        assert ended.code == 0, ended
        found["tenuto " + " ".join(arguments)] = ended.out + ended.err
    for path in sorted(desk.folder.glob("tenuto.db*")):
        if path.suffix != ".key":
            found[path.name] = path.read_bytes().decode(errors="replace")
    return found


def leaks(desk: Desk, log: Log, *secrets: str) -> list[str]:
    told = places(desk, log)
    return [
        f"{place}: {form}"
        for place, text in told.items()
        for secret in secrets
        for form in sorted(written(secret))
        if form in text
    ]


def command(desk: Desk, name: str, secret: str) -> tuple[str, ...]:
    target = ("-a", "web") if name == "run" else ()
    template = desk.file("web.yaml", TEMPLATE)
    return (name, *(() if name == "run" else ("web",)), template, *target, "--parameter", f"Password={secret}")


def test_what_is_refused_at_a_creation_a_change_and_a_deletion_tells_no_secret(desk: Desk, log: Log) -> None:
    desk.fault("create", "Net", FaultKind.ECHOED)
    desk.does(*command(desk, "run", OLD))
    desk.settle()
    status = desk.status()
    assert status["state"] == "Suspended"
    assert f'"Label": "{MASK}"' in status["resources"]["Net"]["message"]
    assert leaks(desk, log, OLD) == []

    # What refers to a network has no secret of its own, and its refusal may tell the network's.
    desk.fault("create", "Grp", FaultKind.ECHOED)
    desk.does("resume", "web")
    desk.settle()
    assert desk.real("Net").properties["Label"] == OLD
    assert f"user:{MASK}" in desk.status()["resources"]["Grp"]["message"]
    assert leaks(desk, log, OLD) == []

    desk.does("resume", "web")
    desk.settle()
    desk.fault("modify", "Net", FaultKind.ECHOED)
    desk.does(*command(desk, "update", NEW))
    desk.settle()
    assert MASK in desk.status()["resources"]["Net"]["message"]
    assert leaks(desk, log, OLD, NEW) == []

    desk.does("resume", "web")
    desk.settle()
    assert desk.real("Net").properties["Label"] == NEW
    desk.fault("delete", "Net", FaultKind.ECHOED)
    desk.does("kill", "web")
    desk.settle()
    assert MASK in desk.status()["resources"]["Net"]["message"]
    assert leaks(desk, log, OLD, NEW) == []


def test_what_a_provider_says_of_a_broken_thing_tells_no_secret(desk: Desk, log: Log) -> None:
    desk.does(*command(desk, "run", OLD))
    desk.settle()
    desk.world.cloud.break_down(desk.real("Net").physical_id, f"it could not be labelled {OLD} ({quote(OLD)})")
    desk.fault("create", "Net", FaultKind.ECHOED)
    desk.advance(120)
    assert any("labelled" in text for text in places(desk, log).values())
    assert leaks(desk, log, OLD) == []
