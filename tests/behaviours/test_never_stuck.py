"""Never stuck: whatever the provider refuses for ever, some command that the messages name comes to an end.

Every way in which a process can be at work is tried with every operation of the provider refused from then on, and for
good. The ways together lead objects through every state of their lifecycle in which a provider is called, towards every
target: the last test holds them against the table. An end is a process that is gone, or one that is as declared.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cache

import pytest
from web_world import ALIAS, WebWorld, composed, declare

from tenuto.errors import NotAllowedError, ProviderError, TenutoError, UserError
from tenuto.lifecycles.resource import RESOURCE, ResourceState
from tenuto.model.command import ProcessState
from tenuto.model.composition import Composition, DeletionPolicy
from tenuto.providers.simulated.faults import Fault, FaultKind
from tenuto.settings import DEFAULT_PATIENCE_S

FOR_EVER = 10**9
LONG_S = 6 * DEFAULT_PATIENCE_S
REFUSALS = (
    ("create", FaultKind.DENIED),
    ("modify", FaultKind.DENIED),
    ("modify", FaultKind.IGNORED),
    ("delete", FaultKind.DENIED),
    ("claim", FaultKind.DENIED),
    ("disclaim", FaultKind.DENIED),
    ("find", FaultKind.FORBIDDEN),
    ("sweep", FaultKind.FORBIDDEN),
    ("context", FaultKind.FORBIDDEN),
)
COMMAND = re.compile(r"'(?:tenuto )?(resume|kill|release|update|retry|suspend)\b([^']*)'")


def wanted(label: str = "one", network: str = "10.0", policy: DeletionPolicy = DeletionPolicy.DELETE) -> Composition:
    bucket = replace(declare("Store", "Bucket", Name="a-name"), deletion_policy=policy)
    return composed(
        declare("Net", "Network", CidrBlock=f"{network}.0.0/16", Label=label),
        declare("Sub", "Subnet", ("Net",), NetworkId={"Ref": "Net"}, CidrBlock=f"{network}.1.0/24"),
        bucket,
    )


def built(world: WebWorld, composition: Composition | None = None) -> None:
    world.run(composition or wanted())
    world.settled()
    world.advance(120)


def run(world: WebWorld) -> None:
    world.run(wanted())


def adopt(world: WebWorld) -> None:
    bucket = declare("Store", "Bucket", Name="a-name")
    named = replace(bucket, metadata={"Tenuto": {"ResourceIdentifier": world.stranger}})
    world.run(composed(named), adopts=True)


def update(world: WebWorld) -> None:
    world.update(wanted(label="two"))


def replace_all(world: WebWorld) -> None:
    world.update(wanted(network="10.1"))


def remove(world: WebWorld) -> None:
    world.update(composed(declare("Net", "Network", CidrBlock="10.0.0.0/16", Label="one")))


def drift(world: WebWorld) -> None:
    world.cloud.tamper(str(world.physical("Net")), "Label", "of a stranger")


def vanish(world: WebWorld) -> None:
    world.cloud.vanish(str(world.physical("Store")))


def kill(world: WebWorld) -> None:
    world.kill()


def release(world: WebWorld) -> None:
    world.system.commands.release(ALIAS)


def cancel_a_kill(world: WebWorld) -> None:
    world.resume()


def in_the_middle_of_a_kill(world: WebWorld) -> None:
    built(world)
    world.faults.add(Fault(kind=FaultKind.UNAVAILABLE, operation="delete", subject="Net", times=FOR_EVER))
    world.kill()
    world.advance(60)
    world.suspend()
    world.faults.clear()


def beside_a_stranger(world: WebWorld) -> None:
    world.add_stranger()


def retained(world: WebWorld) -> None:
    built(world, wanted(policy=DeletionPolicy.RETAIN))


def nothing(_: WebWorld) -> None:
    """A process that is yet to be run."""


WAYS: dict[str, tuple[Callable[[WebWorld], None], Callable[[WebWorld], None]]] = {
    "run": (nothing, run),
    "adopt": (beside_a_stranger, adopt),
    "update in place": (built, update),
    "replacement": (built, replace_all),
    "removal": (built, remove),
    "removal of what is retained": (retained, remove),
    "drift": (built, drift),
    "loss": (built, vanish),
    "kill": (built, kill),
    "release": (built, release),
    "cancelled kill": (in_the_middle_of_a_kill, cancel_a_kill),
}


def stuck_on(way: str, operation: str, kind: FaultKind) -> WebWorld:
    """A world in which the operation is refused for ever, long after the process set out on its way."""
    world = WebWorld()
    before, begin = WAYS[way]
    before(world)
    world.faults.add(Fault(kind=kind, operation=operation, subject="*", times=FOR_EVER))
    begin(world)
    world.advance(LONG_S)
    return world


def has_ended(world: WebWorld) -> bool:
    process = world.process()
    is_held = process.state is ProcessState.RUNNING and process.converged_at is not None
    return process.state is ProcessState.GONE or (is_held and process.intent.waiting is None)


def words(world: WebWorld) -> Iterable[str]:
    """Everything that a person is told: the last message, and the explanation of every resource."""
    yield world.process().last_message
    _, explained = world.system.queries.explain(ALIAS)
    yield from explained.process
    for lines in explained.resources.values():
        yield from lines


def named(texts: Iterable[str]) -> tuple[str, ...]:
    """The commands that texts name, each once."""
    found = (match for text in texts for match in COMMAND.finditer(text))
    return tuple(dict.fromkeys(f"{one[1]} --keep-tags" if "--keep-tags" in one[2] else one[1] for one in found))


def give(world: WebWorld, command: str) -> None:
    commands = world.system.commands
    match command:
        case "update":  # To what the provider shows, or without what it refuses to make.
            shown = [one for one in world.cloud.things() if one.type.facts.name == "Simulated::Network"]
            world.update(wanted(label=str(shown[0].properties["Label"])) if shown else composed())
        case "release --keep-tags":
            commands.release(ALIAS, keep_tags=True)
        case _:
            getattr(commands, command)(ALIAS)


def leads_to_an_end(world: WebWorld, command: str, others: tuple[str, ...]) -> bool:
    """Whether the command is taken, after a 'suspend' where that is named beside it, and comes to an end."""
    try:
        give(world, command)
    except NotAllowedError:
        if "suspend" not in others:
            return False
        world.suspend()
        world.advance(60)
        try:
            give(world, command)
        except TenutoError:
            return False
    except UserError:  # Nothing can be left out of a composition that would then be empty.
        return False
    world.advance(LONG_S)
    return has_ended(world)


@cache
def visited(way: str, operation: str, kind: FaultKind) -> frozenset[tuple[str, str]]:
    """The states, with their targets, in which objects came to a stop; the test itself is in here, to be done once."""
    try:
        world = stuck_on(way, operation, kind)
    except ProviderError:
        assert way == "adopt", "only an adoption looks before the command is accepted"
        return frozenset()
    stops = frozenset((one.state, one.target) for one in world.store.objects(world.process().fid) if not one.is_settled)
    if has_ended(world):
        return stops
    told = tuple(words(world))
    commands = named(told)
    assert commands, f"no command is named: {told}"
    is_led = any(leads_to_an_end(stuck_on(way, operation, kind), one, commands) for one in commands)
    assert is_led, f"none of {commands} comes to an end: {told}"
    return stops


@pytest.mark.parametrize(("operation", "kind"), REFUSALS, ids=str)
@pytest.mark.parametrize("way", WAYS)
def test_a_command_that_is_named_comes_to_an_end_whatever_is_refused(way: str, operation: str, kind: FaultKind) -> None:
    visited(way, operation, kind)


@pytest.mark.slow
def test_the_ways_lead_through_every_state_in_which_a_provider_is_called() -> None:
    """The table says which states there are; a state without a phase of Tenuto's own is only walked through."""
    called = {"Allocation", "Initialization", "Configuration", "Deallocation", "Release"}
    assert called < {state.value for state in ResourceState}
    possible = {
        (state.value, target.value)
        for target, path in RESOURCE.paths.items()
        for state in path
        if state.value in called and state != target
    }
    seen = frozenset().union(*(visited(way, *refusal) for way in WAYS for refusal in REFUSALS))
    assert seen >= possible
