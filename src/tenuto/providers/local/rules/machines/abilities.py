"""The abilities of agents: the orders and members that an agent knows besides those of the first release, and the
orders that need them.

Theory of operation. An agent tells its abilities when it registers, and one of an earlier release tells none. An order
that needs more is not given: the agent would fail with words about the order, and a person must read about the agent.
A new member of an order that an agent may not know is an ability, and the version of the protocol stays.
"""

from collections.abc import Iterable
from enum import StrEnum

from tenuto.providers.local.driver import Spec
from tenuto.providers.local.objects import OPERATION
from tenuto.providers.local.rules.machines.bases import BELOW
from tenuto.providers.local.rules.machines.operations import Ping, Snapshot, UnusableCommandError, commands_of


class Ability(StrEnum):
    THIN = "thin-snapshots"
    ECHOES = "echoes"
    ISOLATION = "isolation"


ABILITIES = tuple(Ability)
WORDS = {
    Ability.THIN: "thin snapshots",
    Ability.ECHOES: "pings from networks",
    Ability.ISOLATION: "the isolation of machines that failed",
}


def needed(spec: Spec) -> frozenset[Ability]:
    """Return the abilities that an order needs."""
    if spec.attributes.get(BELOW):
        return frozenset({Ability.THIN})
    if spec.type != OPERATION:
        return frozenset()
    try:
        commands = commands_of(spec.properties["Commands"])
    except UnusableCommandError:
        return frozenset()
    thin = {Ability.THIN for one in commands if isinstance(one, Snapshot) and one.is_thin}
    return frozenset(thin | {Ability.ECHOES for one in commands if isinstance(one, Ping)})


def lacking(told: Iterable[str], wanted: Iterable[Ability] = ABILITIES) -> tuple[str, ...]:
    """Return the wanted abilities, in words, that an agent did not tell."""
    known = frozenset(told)
    return tuple(WORDS[one] for one in ABILITIES if one in frozenset(wanted) and one not in known)
