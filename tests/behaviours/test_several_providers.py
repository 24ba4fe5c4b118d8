"""Each question about a process goes to its own provider; a provider that is missing is named, and nothing is lost."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import pytest

from tenuto.bootstrap.system import System, build
from tenuto.compositions.checks.schema import TypeSchema
from tenuto.compositions.compile import compile_text
from tenuto.compositions.documents.document import to_document
from tenuto.errors import NotFoundError, PermanentError, TransientError, UserError
from tenuto.model.cloud_node import CLOUD_NODE
from tenuto.model.ids import Partition, TypeName
from tenuto.model.observation import Sweep, Tracked
from tenuto.model.outcome import Outcome, Request
from tenuto.model.process import Process
from tenuto.model.resource import ResourceType
from tenuto.ports.clock import Clock
from tenuto.ports.provider import OpSink, Provider
from tenuto.providers.simulated.behaviour import Behaviour
from tenuto.providers.simulated.cloud import Cloud
from tenuto.providers.simulated.provider import SimulatedProvider
from tenuto.service.intake.composition import Submission
from tenuto.storage.file.secrets import KeyedSecrets, new_keys
from tenuto.storage.sqlite.memory import MemoryStore
from tenuto_testing.clock import VirtualClock
from tenuto_testing.ids import SeededIds

REGION = "sim-1"
EXPORTER = """
Resources:
  Net: {Type: Cloud::Network, Properties: {CidrBlock: 10.0.0.0/16}}
Outputs:
  Where: {Value: !Sub '${AWS::AccountId}/${Net}', Export: {Name: where}}
"""
IMPORTER = """
Parameters:
  Size: {Type: 'AWS::SSM::Parameter::Value<String>', Default: /size}
Resources:
  Net: {Type: Simulated::Network, Properties: {CidrBlock: 10.0.0.0/16, Label: !ImportValue where}}
  More: {Type: Simulated::Network, Properties: {CidrBlock: 10.1.0.0/16, Label: !Ref Size}}
"""

NODE = """
Resources:
  Box: {Type: Cloud::Node, Properties: {Provider: %s, MachineType: small, Image: debian, Note: %s}}
Outputs:
  Box: {Value: !Ref Box, Export: {Name: box}}
"""


def renamed(name: TypeName) -> TypeName:
    """The type of one provider for that of the other; both have nodes."""
    if name == CLOUD_NODE:
        return name
    vendor, _, short = name.partition("::")
    return TypeName(f"{'Cloud' if vendor == 'Simulated' else 'Simulated'}::{short}")


class OtherProvider(SimulatedProvider):
    """A provider of another name and other types, with a cloud of its own."""

    name = "other"

    def types(self) -> Mapping[TypeName, ResourceType]:
        return {
            renamed(name): replace(facts, name=renamed(name), provider=self.name)
            for name, facts in super().types().items()
        }

    def sweep(
        self, partition: Partition, source: str, tracked: Tracked, *, is_whole: bool = False, is_near: bool = False
    ) -> Mapping[TypeName, Sweep]:
        theirs = {renamed(name): found for name, found in tracked.items()}
        sweeps = super().sweep(partition, source, theirs, is_whole=is_whole, is_near=is_near)
        return {renamed(name): replace(sweep, type=renamed(name)) for name, sweep in sweeps.items()}

    def create(self, partition: Partition, requests: Sequence[Request]) -> Sequence[Outcome]:
        return super().create(partition, [replace(one, type=renamed(one.type)) for one in requests])

    def modify(self, partition: Partition, requests: Sequence[Request]) -> Sequence[Outcome]:
        return super().modify(partition, [replace(one, type=renamed(one.type)) for one in requests])


class Open:
    """A source of schemas that knows nothing of any type but that it exists."""

    def find(self, name: str) -> TypeSchema | None:
        return TypeSchema(name=TypeName(name))

    def names(self) -> Sequence[str]:
        return ()

    def is_elsewhere(self, name: str) -> bool:
        return False


class TwoClouds:
    """A Conductor with two providers, whose accounts of one name are two accounts."""

    def __init__(self) -> None:
        self.clock = VirtualClock()
        self.store = MemoryStore()
        self.secrets = KeyedSecrets(new_keys())
        self.ids = SeededIds()
        self.clouds = {
            SimulatedProvider.name: Cloud(self.clock, Behaviour(lookups={"/size": "small"})),
            OtherProvider.name: Cloud(
                self.clock, Behaviour(accounts={"default": "222222222222"}, lookups={"/size": "wrong"})
            ),
        }
        self.system = self.boot(OtherProvider, SimulatedProvider)

    def boot(self, *kinds: type[SimulatedProvider]) -> System:
        def make(ops: OpSink, clock: Clock) -> Iterable[Provider]:
            return [kind(self.clouds[kind.name], clock=clock, ops=ops) for kind in kinds]

        self.system = build(
            store=self.store, providers=make, clock=self.clock, ids=self.ids, secrets=self.secrets, period_s=30.0
        )
        self.system.conductor.start()
        return self.system

    def run(self, alias: str, text: str) -> Process:
        compiled = compile_text(text, file=f"{alias}.yaml", parameters={}, region=REGION, schemas=Open())
        return self.system.commands.run(Submission(document=to_document(compiled.composition), secrets={}), alias=alias)

    def advance(self, seconds: float) -> None:
        until = self.clock.now() + seconds
        while self.clock.now() < until:
            self.system.conductor.step()
            self.clock.advance(1.0)

    def notes(self) -> dict[str, list[object]]:
        """The notes of the nodes that stand in each cloud."""
        return {name: [one.properties["Note"] for one in cloud.things()] for name, cloud in sorted(self.clouds.items())}

    def process(self, alias: str) -> Process:
        found = self.store.process(alias)
        assert found is not None
        return found


@pytest.fixture
def clouds() -> TwoClouds:
    return TwoClouds()


def test_an_export_is_imported_by_a_process_of_another_provider_with_the_account_of_its_own(clouds: TwoClouds) -> None:
    clouds.run("theirs", EXPORTER)
    clouds.advance(60)
    clouds.run("ours", IMPORTER)
    clouds.advance(60)
    labels = {thing.properties["Label"] for thing in clouds.clouds["simulated"].things()}
    assert labels == {"222222222222/net-1", "small"}, "the lookup is of the own provider, and the export of the other"
    assert [thing.type.facts.name for thing in clouds.clouds["other"].things()] == ["Simulated::Network"]
    assert clouds.system.queries.process("theirs").outputs["Where"] == "222222222222/net-1"


def test_a_process_whose_provider_is_not_loaded_waits_with_the_reason_and_goes_on_with_it(clouds: TwoClouds) -> None:
    clouds.run("theirs", EXPORTER)
    clouds.run("ours", IMPORTER)
    clouds.advance(90)
    things = clouds.clouds["other"].things()
    clouds.boot(SimulatedProvider)
    clouds.clouds["other"].tamper("net-1", "Label", "drifted")
    clouds.advance(120)
    assert "Restart the Conductor with --provider other" in clouds.process("theirs").last_message
    assert clouds.process("ours").converged_at is not None
    assert clouds.clouds["other"].things() == things
    assert TypeName("Cloud::Network") not in clouds.system.conductor.types()
    clouds.boot(SimulatedProvider, OtherProvider)
    clouds.advance(120)
    assert clouds.process("theirs").converged_at is not None


def test_two_providers_of_one_type_each_answer_for_their_own_process(clouds: TwoClouds) -> None:
    clouds.run("theirs", NODE % ("other", "first"))
    clouds.advance(120)
    clouds.run("ours", NODE.replace("Name: box", "Name: own-box") % ("simulated", "!ImportValue box"))
    clouds.advance(120)
    assert (clouds.process("theirs").provider, clouds.process("ours").provider) == ("other", "simulated")
    assert clouds.notes() == {"other": ["first"], "simulated": ["node-1"]}, "each in its own cloud, under one id"

    for cloud in clouds.clouds.values():
        cloud.tamper("node-1", "Note", "drifted")
    clouds.advance(120)
    assert clouds.notes() == {"other": ["first"], "simulated": ["node-1"]}

    clouds.clouds["other"].vanish("node-1")
    clouds.advance(900)
    assert clouds.notes() == {"other": ["first"], "simulated": ["node-2"]}, "the export follows to the new thing"
    assert [thing.physical_id for thing in clouds.clouds["other"].things()] == ["node-2"]
    assert [thing.physical_id for thing in clouds.clouds["simulated"].things()] == ["node-1"]

    clouds.system.commands.kill("ours")
    clouds.advance(120)
    assert clouds.notes() == {"other": ["first"], "simulated": []}
    clouds.system.commands.kill("theirs")
    clouds.advance(120)
    assert clouds.notes() == {"other": [], "simulated": []}


def test_a_node_of_which_nothing_says_whose_it_is_belongs_to_the_first_provider(clouds: TwoClouds) -> None:
    clouds.run("plain", NODE.replace("Provider: %s, ", "") % "first")
    clouds.advance(120)
    assert clouds.notes() == {"other": ["first"], "simulated": []}
    node = "{Type: Cloud::Node, Properties: {Provider: %s, MachineType: small, Image: debian}}"
    with pytest.raises(UserError, match="mixes resources of other and simulated"):
        clouds.run("mixed", "\n".join(("Resources:", f"  A: {node % 'other'}", f"  B: {node % 'simulated'}")))
    assert clouds.process("plain").provider == "other"


def test_a_node_of_a_provider_that_is_not_loaded_is_not_taken_for_one_of_the_other(clouds: TwoClouds) -> None:
    clouds.run("theirs", NODE % ("other", "first"))
    clouds.advance(120)
    clouds.boot(SimulatedProvider)
    clouds.advance(300)
    assert "Restart the Conductor with --provider other" in clouds.process("theirs").last_message
    assert clouds.notes() == {"other": ["first"], "simulated": []}
    clouds.boot(SimulatedProvider, OtherProvider)
    clouds.advance(120)
    assert clouds.process("theirs").converged_at is not None
    assert clouds.notes() == {"other": ["first"], "simulated": []}


def test_accounts_are_asked_of_their_own_provider(clouds: TwoClouds) -> None:
    accounts = clouds.system.commands.accounts
    assert accounts.check("default").account.account_id == "222222222222", "of the first provider that is named"
    with pytest.raises(PermanentError, match="no credentials"):
        accounts.add("elsewhere", {}, provider="simulated")
    with pytest.raises(NotFoundError, match="It has: other, simulated"):
        accounts.add("elsewhere", {}, provider="nowhere")


def test_a_question_to_a_provider_that_is_not_loaded_says_how_to_load_it(clouds: TwoClouds) -> None:
    with pytest.raises(TransientError, match="Restart the Conductor with --provider nowhere"):
        clouds.system.conductor.context("nowhere", Partition(account="default", region=REGION))
