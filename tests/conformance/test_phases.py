"""The phase conformance suite: a careful phase passes it, careless ones do not."""

from collections.abc import Sequence

import pytest

from tenuto.plugins import PhasePlugin, PhaseRun, phase
from tenuto_testing.phase_conformance import PhaseConformance
from tenuto_testing.phase_world import PhaseWorld


class Acme:
    """A cloud that starts machines in the background, and knows them by a name that the caller chose."""

    def __init__(self) -> None:
        self.machines: dict[str, str] = {}
        self.looks: dict[str, int] = {}

    def start(self, token: str, owner: str) -> None:
        self.machines.setdefault(token, owner)

    def is_ready(self, token: str) -> bool:
        self.looks[token] = self.looks.get(token, 0) + 1
        return self.looks[token] > 2


def careful(acme: Acme) -> PhasePlugin:
    """Saves its token before it starts a machine, and starts it again under the same token."""

    @phase("Acme.Create", states="Allocation", types="Cloud.Node", provider="acme", dependencies="Acme.Volume")
    def create(run: PhaseRun) -> None:
        for node in run.resources:
            run.data(node)["token"] = f"machine-of-{node.object.object_id}"
        run.checkpoint(run.resources)
        for node in run.resources:
            token = run.data(node)["token"]
            acme.start(token, node.object.logical_id)
            if acme.is_ready(token):
                node["InstanceId"] = token
                run.complete(node)

    return create


class TestCarefulPhase(PhaseConformance):
    def begin(self) -> None:
        self.acme = Acme()

    def plugin(self) -> PhasePlugin:
        return careful(self.acme)

    def check(self, world: PhaseWorld, names: Sequence[str]) -> None:
        assert sorted(self.acme.machines.values()) == sorted(names)
        assert all(world.get(name).attributes["InstanceId"] in self.acme.machines for name in names)


class CarelessPhase(TestCarefulPhase):
    """Gives every start a new token, so that a crash after it leaves a machine that nobody knows."""

    __test__ = False

    def plugin(self) -> PhasePlugin:
        @phase("Acme.Create", states="Allocation", types="Cloud.Node", provider="acme")
        def create(run: PhaseRun) -> None:
            for node in run.resources:
                token = f"machine-{len(self.acme.machines)}"
                self.acme.start(token, node.object.logical_id)
                node["InstanceId"] = token
                run.complete(node)

        return create


class ForgetfulPhase(TestCarefulPhase):
    """Keeps its progress in itself, where a restart loses it."""

    __test__ = False

    def plugin(self) -> PhasePlugin:
        started: set[str] = set()

        @phase("Acme.Create", states="Allocation", types="Cloud.Node", provider="acme")
        def create(run: PhaseRun) -> None:
            for node in run.resources:
                if node.object.object_id in started:
                    run.complete(node)
                started.add(node.object.object_id)

        return create

    def check(self, world: PhaseWorld, names: Sequence[str]) -> None:
        """The verdicts alone tell."""


def test_a_phase_that_cannot_be_called_twice_does_not_pass() -> None:
    suite = CarelessPhase()
    suite.test_many_objects_at_once_come_through()
    with pytest.raises(AssertionError):
        suite.test_a_conductor_that_dies_before_or_after_any_write_leaves_nothing_twice_and_nothing_undone()


def test_a_phase_that_keeps_progress_in_itself_does_not_pass() -> None:
    suite = ForgetfulPhase()
    suite.test_many_objects_at_once_come_through()
    with pytest.raises(AssertionError):
        suite.test_progress_is_kept_on_the_objects_and_not_in_the_plugin()


class Leases:
    """Leases that run out, and copies of them that somebody asked for."""

    def __init__(self) -> None:
        self.renewed: dict[str, int] = {}
        self.asked: set[str] = set()


class TestCarefulUpkeep(PhaseConformance):
    table = "instance"

    def begin(self) -> None:
        self.leases = Leases()

    def plugin(self) -> PhasePlugin:
        leases = self.leases

        @phase("Acme.Renew", states="created", types="Acme::Machine", every=60)
        def renew(run: PhaseRun) -> None:
            for one in run.resources:
                token = f"{one.object.object_id}"
                if token not in leases.asked:  # The lease is renewed in the background.
                    leases.asked.add(token)
                    continue
                leases.asked.discard(token)
                leases.renewed[one.object.logical_id] = leases.renewed.get(one.object.logical_id, 0) + 1
                run.complete(one)

        return renew

    def check(self, world: PhaseWorld, names: Sequence[str]) -> None:
        assert sorted(self.leases.renewed) == sorted(names)
        assert all(world.get(name).is_settled and world.get(name).state == "created" for name in names)


class ForgetfulUpkeep(TestCarefulUpkeep):
    """Keeps in itself that it asked, where a restart loses it."""

    __test__ = False

    def plugin(self) -> PhasePlugin:
        asked: set[str] = set()

        @phase("Acme.Renew", states="created", types="Acme::Machine", every=60)
        def renew(run: PhaseRun) -> None:
            for one in run.resources:
                if one.object.object_id in asked:
                    self.leases.renewed[one.object.logical_id] = 1
                    run.complete(one)
                asked.add(one.object.object_id)

        return renew


class FailingUpkeep(TestCarefulUpkeep):
    """Fails each round, which leads a machine to its state of failures."""

    __test__ = False
    table = "namespace"

    def plugin(self) -> PhasePlugin:
        @phase("Acme.Renew", states="created", types="Acme::Machine", every=60)
        def renew(run: PhaseRun) -> None:
            for one in run.resources:
                run.fail(one, "the lease is over")

        return renew


def test_upkeep_that_keeps_progress_in_itself_does_not_pass() -> None:
    suite = ForgetfulUpkeep()
    suite.test_many_objects_at_once_come_through()
    with pytest.raises(AssertionError):
        suite.test_progress_is_kept_on_the_objects_and_not_in_the_plugin()


def test_upkeep_of_which_no_round_ends_well_does_not_pass() -> None:
    with pytest.raises(AssertionError):
        FailingUpkeep().test_many_objects_at_once_come_through()
