"""Whose the credentials are: how often AWS is asked, and what is believed meanwhile, on the strict cloud."""

from collections import Counter
from collections.abc import Callable

import pytest
from botocore.credentials import Credentials

from tenuto.core.access.accounts import CHANGE_S, DEFAULT_INTERVAL_S
from tenuto.errors import TransientError, UnconfirmedError
from tenuto.model.ids import Fid, Instant, LogicalId, ObjectId, Partition, PhysicalId, TypeName
from tenuto.model.observation import Interest
from tenuto.model.outcome import Done, Outcome, Pending, Request
from tenuto.ports.provider import NOT_CONFIRMED
from tenuto.providers.aws.provider import AwsProvider
from tenuto_testing.clock import VirtualClock
from tenuto_testing.cloud import HOME_ACCOUNT, Cloud, Failure, InProcessSession
from tenuto_testing.cloud.faults import Fault
from tenuto_testing.cloud.quotas import BOUNDLESS
from tenuto_testing.ops import RecordedOps

HERE = Partition(account="default", region="us-east-1")
OTHER = "999999999999"
VPC = TypeName("AWS::EC2::VPC")
SOURCE = "ec2.DescribeVpcs"
HOUR_S = 3600.0


class World:
    """A provider in front of the strict cloud."""

    def __init__(self) -> None:
        self.clock = VirtualClock()
        self.cloud = Cloud(self.clock, quotas=BOUNDLESS, accounts={"other": OTHER})
        session = InProcessSession(self.cloud)
        self.given: Credentials = session.get_credentials()
        self.provider = AwsProvider(session=session, ops=RecordedOps(), clock=self.clock, workers=1)

    def create(self, number: int = 0) -> Outcome:
        return self.provider.create(HERE, [self.request(number)])[0]

    def request(self, number: int) -> Request:
        return Request(
            object_id=ObjectId(f"object-{number}"),
            fid=Fid("process-1"),
            process_name="web",
            logical_id=LogicalId(f"Net{number}"),
            type=VPC,
            token=f"object-{number}",
            properties={"CidrBlock": "10.0.0.0/16"},
        )

    def sweep(self, *tracked: str) -> frozenset[PhysicalId]:
        """What a sweep shows that tracks these things."""
        interest = Interest(names=frozenset(), since=Instant(0.0))
        found = self.provider.sweep(HERE, SOURCE, {VPC: {PhysicalId(one): interest for one in tracked}})
        return frozenset(found[VPC].items)

    def calls(self) -> Counter[str]:
        return Counter(asked.action for asked in self.cloud.log)

    def questions(self) -> int:
        return self.calls()["GetCallerIdentity"]

    def elsewhere(self) -> list[str]:
        """The networks of the other account that AWS did not put there."""
        networks = InProcessSession(self.cloud, access_key="other").create_client("ec2", HERE.region).describe_vpcs()
        return [one["VpcId"] for one in networks["Vpcs"] if not one["IsDefault"]]


@pytest.fixture
def world() -> World:
    return World()


def renewed(world: World) -> None:
    world.given.access_key = "other"


def led_elsewhere(world: World) -> None:
    world.cloud.accounts["test"] = OTHER


SWAPS = pytest.mark.parametrize("swap", [renewed, led_elsewhere])


def waits(outcome: Outcome, code: str) -> Pending:
    """That nothing was done, and that it will be tried again without an end."""
    assert isinstance(outcome, Pending)
    assert (outcome.code, outcome.is_undone, outcome.is_held) == (code, True, False)
    return outcome


def test_a_hundred_changes_in_a_row_cost_one_question(world: World) -> None:
    assert {type(world.create(number)) for number in range(100)} == {Done}
    assert world.calls()["CreateVpc"] == 100
    assert world.questions() == 1


def test_a_change_asks_again_after_thirty_seconds_and_a_read_does_not(world: World) -> None:
    world.sweep()
    world.clock.advance(CHANGE_S + 1.0)
    world.sweep()
    assert world.questions() == 1
    world.create()
    assert world.questions() == 2


def test_an_hour_of_sweeps_costs_a_question_in_each_interval(world: World) -> None:
    for _ in range(int(HOUR_S / 30.0)):
        world.sweep()
        world.clock.advance(30.0)
    assert world.questions() <= HOUR_S / DEFAULT_INTERVAL_S


@SWAPS
def test_nothing_is_created_in_another_account(world: World, swap: Callable[[World], None]) -> None:
    assert isinstance(world.create(), Done)
    world.clock.advance(CHANGE_S + 1.0)
    swap(world)
    told = waits(world.create(1), "WrongAccount").message
    assert f"is {HOME_ACCOUNT}, and its credentials now lead to {OTHER}" in told
    assert "--keep-tags" in told
    assert world.elsewhere() == []


@SWAPS
def test_what_another_account_does_not_show_is_not_absent(world: World, swap: Callable[[World], None]) -> None:
    made = world.create()
    assert isinstance(made, Done)
    assert world.sweep(str(made.physical_id)) >= {made.physical_id}
    world.clock.advance(1.0)
    swap(world)
    with pytest.raises(UnconfirmedError, match=OTHER):
        world.sweep(str(made.physical_id))


@SWAPS
def test_what_another_account_does_not_show_may_have_been_made(world: World, swap: Callable[[World], None]) -> None:
    world.create()
    world.clock.advance(1.0)
    swap(world)
    with pytest.raises(TransientError, match=OTHER):
        world.provider.find(HERE, [world.request(0)])


def test_absence_in_the_right_account_is_believed_after_one_question(world: World) -> None:
    world.sweep()
    world.clock.advance(1.0)
    assert PhysicalId("vpc-0123456789abcdef0") not in world.sweep("vpc-0123456789abcdef0")
    assert world.questions() == 2


@SWAPS
def test_it_goes_on_a_few_seconds_after_the_account_is_the_right_one_again(
    world: World, swap: Callable[[World], None]
) -> None:
    world.create()
    world.clock.advance(CHANGE_S + 1.0)
    swap(world)
    waits(world.create(1), "WrongAccount")
    assert OTHER in world.provider.credentials("default").problem
    world.given.access_key = "test"
    world.cloud.accounts.pop("test", None)
    world.clock.advance(6.0)
    assert isinstance(world.create(1), Done)
    known = world.provider.credentials("default")
    assert (known.problem, known.confirmed_at) == ("", world.clock.now())


@pytest.mark.parametrize(
    ("failure", "code"),
    [(Failure.DENIED, "AccessDenied"), (Failure.REFUSED, NOT_CONFIRMED), (Failure.LOST, NOT_CONFIRMED)],
)
def test_a_change_waits_and_says_why_while_the_question_is_not_answered(
    world: World, failure: Failure, code: str
) -> None:
    world.create()
    world.clock.advance(CHANGE_S + 1.0)
    world.cloud.faults.script(Fault(failure, "GetCallerIdentity", count=1000))
    for _ in range(20):
        assert "account default: sts" in waits(world.create(1), code).message
        world.clock.advance(30.0)
    assert world.calls()["CreateVpc"] == 1
    world.cloud.faults.stop()
    assert isinstance(world.create(1), Done)
