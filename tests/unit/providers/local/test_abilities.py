"""An agent of an earlier release: what it does not know is not ordered, and the message is about the agent."""

from collections.abc import Iterator

import pytest

from tenuto.model.ids import Json, ObjectId, TypeName
from tenuto.providers.local.driver import Spec
from tenuto.providers.local.hosts.book import HostBook
from tenuto.providers.local.hosts.driver import RealHosts
from tenuto.providers.local.hosts.ledger import Ledger
from tenuto.providers.local.hosts.lines import Lines
from tenuto.providers.local.objects import OPERATION
from tenuto.providers.local.rules.machines.abilities import ABILITIES, Ability, lacking, needed
from tenuto.providers.local.rules.machines.bases import BELOW
from tenuto.providers.local.types import INSTANCE
from tenuto.providers.local.wire.messages import Poll, Register, read, written
from tenuto.storage.open import open_store
from tenuto_testing.clock import VirtualClock

ZONE = "rack-1"
IT = ObjectId("it")


def asked(*commands: Json, type_: TypeName = OPERATION, **attributes: Json) -> Spec:
    properties: dict[str, Json] = {"Commands": list(commands), "DeadlineSeconds": 60}
    return Spec(
        type=type_, object_id=IT, account="red", owner=None, host="h1", properties=properties, attributes=attributes
    )


THIN = asked({"Snapshot": "monday", "Disks": [0], "Thin": True})
WHOLE = asked({"Snapshot": "monday", "Disks": [0]})
ON_A_THIN_BASE = asked(type_=INSTANCE, **{BELOW: ["0" * 128]})


class Zone:
    """One host of a Conductor, whose agent has registered."""

    def __init__(self) -> None:
        self.store, self.steady = open_store("memory:"), 0.0
        self.lines = Lines(lambda: 7, self.time)
        book = HostBook(self.store, VirtualClock())
        self.hosts = RealHosts(book=book, lines=self.lines, ledger=Ledger(self.store))

    def time(self) -> float:
        """Each look at the clock is a second later, so that nothing waits for the agent."""
        self.steady += 1.0
        return self.steady

    def register(self, **told: object) -> None:
        document = {"versions": [1], "boot_id": "b", "driver": "qemu", "cores": 2, "memory_mib": 4096, **told}
        self.lines.begin(ZONE, "h1", "r", read(Register, document))

    def orders(self) -> list[ObjectId]:
        answer = self.lines.answer(ZONE, "h1", Poll(registration="r", wait_s=1.0))
        return [one.object_id for one in answer.orders]


@pytest.fixture
def zone() -> Iterator[Zone]:
    made = Zone()
    yield made
    made.store.close()


@pytest.mark.parametrize(
    ("spec", "abilities"),
    [
        (THIN, {Ability.THIN}),
        (WHOLE, set()),
        (asked({"Ping": "10.1.0.1"}), {Ability.ECHOES}),
        (asked({"Exec": ["uname"]}), set()),
        (asked({"Nothing": 1}), set()),
        (ON_A_THIN_BASE, {Ability.THIN}),
    ],
)
def test_an_order_needs_what_it_holds(spec: Spec, abilities: set[Ability]) -> None:
    assert needed(spec) == abilities


def test_an_agent_that_tells_nothing_is_ordered_nothing_thin_and_everything_else(zone: Zone) -> None:
    zone.register(program="0.0.9")
    problem = zone.hosts.ensure(ZONE, [THIN])[IT]
    assert problem.is_final
    assert problem.message == (
        "the agent of the host h1 (Tenuto 0.0.9) does not know thin snapshots: install the Conductor's release of "
        "Tenuto on the host, and start its agent again"
    )
    assert zone.orders() == []
    zone.hosts.ensure(ZONE, [WHOLE])
    assert zone.orders() == [IT]


def test_a_machine_waits_for_the_agent_that_knows_its_base(zone: Zone) -> None:
    zone.register()
    problem = zone.hosts.ensure(ZONE, [ON_A_THIN_BASE])[IT]
    assert (problem.is_final, problem.is_under_way) == (False, False)
    assert "the agent of the host h1 does not know thin snapshots" in problem.message
    zone.register(abilities=[str(one) for one in ABILITIES])
    zone.hosts.ensure(ZONE, [ON_A_THIN_BASE])
    assert zone.orders() == [IT]


def test_of_a_silent_host_it_is_told_that_it_is_silent(zone: Zone) -> None:
    assert zone.hosts.ensure(ZONE, [THIN])[IT].message == "the host h1 does not answer"


def test_abilities_of_a_later_release_are_no_trouble() -> None:
    assert lacking([*map(str, ABILITIES), "of-tomorrow"]) == ()
    told = Register(versions=(1,), boot_id="b", driver="ns", cores=1, memory_mib=1, abilities=("of-tomorrow",))
    assert read(Register, written(told)).abilities == ("of-tomorrow",)
