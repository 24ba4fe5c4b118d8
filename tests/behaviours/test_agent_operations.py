"""Agent operations in simulated guests, by a whole Conductor: their table, their line, at most once, their errors."""

import base64
import re
from collections.abc import Sequence

import pytest
from local_world import LocalWorld, a, shop, submission

from tenuto.errors import NotAllowedError, NotFoundError, UserError
from tenuto.model.event import EventType
from tenuto.model.ids import JsonMap, ObjectId, TypeName
from tenuto.model.resource import ManagedObject
from tenuto.ports.store_claims import ObjectQuery
from tenuto.ports.store_reads import EventQuery
from tenuto.providers.local.rules.machines.simulated_guest import HISTORY
from tenuto_testing.mortality import Blow

ZONE = "us-east-1"
TYPE = "AgentOperation"


@pytest.fixture
def world() -> LocalWorld:
    made = LocalWorld()
    made.run(*shop())
    return made


def asked(world: LocalWorld, *commands: JsonMap, **fields: object) -> ObjectId:
    found = {"Instance": world.the("Web").object_id, "Commands": list(commands), **fields}
    return world.system.objects.create(TYPE, fields=found, region=ZONE).item.object_id


def ended(world: LocalWorld, object_id: ObjectId) -> ManagedObject:
    world.advance(10)
    return world.system.objects.find(object_id)


def test_behaviour_70_a_command_runs_in_a_machine_and_returns_its_code_and_its_output(world: LocalWorld) -> None:
    good = ended(world, asked(world, {"Exec": ["hostname"]}, {"Exec": ["false"]}))
    assert good.state == "complete"
    assert good.attributes["Results"] == [{"Code": 0, "Out": "web\n", "Err": ""}, {"Code": 1, "Out": "", "Err": ""}]


@pytest.mark.parametrize(
    ("words", "told"),
    [(["uname"], "Linux"), (["uname", "-r"], "simulated"), (["uname", "-a"], "Linux web simulated")],
    ids=["bare", "release", "all"],
)
def test_a_simulated_guest_tells_its_kernel(world: LocalWorld, words: list[str], told: str) -> None:
    [result] = ended(world, asked(world, {"Exec": words})).attributes["Results"]
    assert (result["Code"], result["Out"]) == (0, f"{told}\n")


def test_a_file_is_written_and_read(world: LocalWorld) -> None:
    content = base64.b64encode(b"one\x00two").decode()
    done = ended(world, asked(world, {"Put": "/x", "Content": content, "Mode": "0600"}, {"Get": "/x"}))
    assert done.attributes["Results"][1]["Content"] == content


def test_behaviour_74_a_missing_file_in_a_machine_is_an_error_with_its_reason(world: LocalWorld) -> None:
    failed = ended(world, asked(world, {"Exec": ["true"]}, {"Get": "/nothing"}))
    assert failed.state == "error"
    assert "/nothing: No such file" in failed.message
    assert len(failed.attributes["ResultsBeforeTheError"]) == 1


@pytest.mark.parametrize(
    ("commands", "why"),
    [
        ([], "1 to 64 commands"),
        ([{"Exec": []}], "a list of words"),
        ([{"Exec": "uname"}], "a list of words"),
        ([{"Get": "etc/x"}], "begins with /"),
        ([{"Put": "/x", "Content": "?"}], "base64"),
        ([{"Put": "/x", "Content": "", "Mode": "4755"}], "no mode"),
        ([{"Reboot": "hard"}], "a command has"),
        ([{"Run": ["x"]}], "a command has"),
        (["uname -r"], 'such as {"Exec": ["uname", "-r"]}. Give all of them as --field'),
    ],
)
def test_what_no_guest_could_do_is_refused_before_anything_is_made(
    world: LocalWorld, commands: Sequence[JsonMap], why: str
) -> None:
    with pytest.raises(UserError, match=re.escape(why)):
        asked(world, *commands)
    assert world.system.objects.page(ObjectQuery(types=(TypeName(TYPE),))).items == ()


def test_an_operation_is_for_an_instance_of_its_own_account(world: LocalWorld) -> None:
    with pytest.raises(NotFoundError, match="There is no instance"):
        asked(world, {"Exec": ["true"]}, Instance=world.the("Net").object_id)
    other = world.system.objects.create("Namespace", "red").item
    with pytest.raises(NotFoundError, match="There is no instance"):
        world.system.objects.create(
            TYPE,
            fields={"Instance": world.the("Web").object_id, "Commands": [{"Exec": ["true"]}]},
            account=other.logical_id,
            region=ZONE,
        )


def test_an_operation_of_another_region_than_its_instance_is_told_which_one_was_asked_for(world: LocalWorld) -> None:
    """The message denied an instance that the list of instances showed."""
    fields = {"Instance": world.the("Web").object_id, "Commands": [{"Exec": ["true"]}]}
    with pytest.raises(NotFoundError, match=r"in default, elsewhere\. Give the operation the id and the region"):
        world.system.objects.create(
            TYPE, fields=fields, account=str(world.the("Web").partition.account), region="elsewhere"
        )


class TestOneThatIsNotReady:
    """An operation on an instance that is not ready is refused at once, and nothing is made of it."""

    def test_a_machine_that_does_not_run_takes_no_commands(self, world: LocalWorld) -> None:
        world.update(*shop(PowerState="off"))
        with pytest.raises(NotAllowedError, match="its machine is off"):
            asked(world, {"Exec": ["true"]})
        assert world.system.objects.page(ObjectQuery(types=(TypeName(TYPE),))).items == ()

    def test_one_that_is_made_or_deleted_takes_none(self, world: LocalWorld) -> None:
        world.system.commands.run(submission((a("Slow", "Instance", Vcpus=1, MemoryMiB=64),)), alias="slow")
        while not world.objects("slow"):
            world.advance(0.5)
        state = world.the("Slow", "slow").state
        with pytest.raises(NotAllowedError, match=f"The instance Slow is in the state {state}, and"):
            asked(world, {"Exec": ["true"]}, Instance=world.the("Slow", "slow").object_id)
        world.settled("slow")
        world.system.commands.kill("slow")
        world.settled("slow")
        with pytest.raises(NotAllowedError, match="is in the state deleted"):
            asked(world, {"Exec": ["true"]}, Instance=world.the("Slow", "slow").object_id)

    def test_one_that_goes_after_it_was_asked_for_fails(self, world: LocalWorld) -> None:
        operation = asked(world, {"Exec": ["true"]})
        world.hosts.destroy(world.the("Web").object_id)
        assert "its machine is not there" in ended(world, operation).message


def test_behaviour_73_operations_of_a_machine_keep_their_order_and_a_deleted_one_blocks_nothing(
    world: LocalWorld,
) -> None:
    host = str(world.the("Web").attributes["Host"])
    world.hosts.set_host(ZONE, host, is_up=False)
    line = []
    for word in ("1", "2", "3"):
        line.append(asked(world, {"Exec": ["echo", word]}))
        world.advance(5)
    first, second, third = line
    states = [world.system.objects.find(one).state for one in (first, second, third)]
    assert states == ["executing", "queued", "queued"]
    entry = world.system.objects.find(second).phases["local.operation.queue"]
    assert f"the operation {first}" in entry.message
    world.system.objects.delete(second)
    world.hosts.set_host(ZONE, host, is_up=True)
    world.advance(30)
    assert [world.system.objects.find(one).state for one in (first, second, third)] == [
        "complete",
        "deleted",
        "complete",
    ]
    done = [one for one in world.store.events(EventQuery(types=(EventType.OBJECT_STATE,))) if one.after == "complete"]
    assert [one.object_id for one in done] == [first, third]


def test_behaviour_72_a_command_that_never_answers_expires(world: LocalWorld) -> None:
    world.hosts.set_host(ZONE, str(world.the("Web").attributes["Host"]), is_up=False)
    late = asked(world, {"Exec": ["true"]}, DeadlineSeconds=30)
    world.advance(60)
    found = world.system.objects.find(late)
    assert (found.state, "may still run in the guest" in found.message) == ("error", True)


@pytest.mark.parametrize("is_after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("count", range(1, 9))
def test_an_operation_is_carried_out_once_whenever_the_conductor_dies(
    world: LocalWorld, count: int, is_after: bool
) -> None:
    operation = asked(world, {"Exec": ["echo", "once"]})
    world.fate.arm(Blow(operation="commit", is_after=is_after, count=count))
    world.advance(60)
    assert world.system.objects.find(operation).state == "complete"
    history = ended(world, asked(world, {"Get": HISTORY})).attributes["Results"][0]["Content"]
    assert base64.b64decode(history) == b"echo once\n"


def test_a_paused_machine_is_reset_and_copied_and_runs_no_program(world: LocalWorld) -> None:
    world.update(*shop(PowerState="paused"))
    assert ended(world, asked(world, {"Reboot": "reset"})).state == "complete"
    with pytest.raises(NotAllowedError, match="its machine is paused"):
        asked(world, {"Exec": ["true"]})
