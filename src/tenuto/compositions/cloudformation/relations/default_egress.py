"""The default egress rule of a security group whose egress rules are resources of their own.

Theory of operation. AWS gives every new group a rule that allows all outgoing traffic. CloudFormation removes it as
soon as an egress rule is declared, inline or as AWS::EC2::SecurityGroupEgress: it stands for "nothing is declared".
Whether a separate rule remains is known once the conditions are decided, so the compiler writes down the meaning of the
group then: `SecurityGroupEgress: []`, no inline rule. From there on it is an ordinary property: a plan shows the
removal, and a default rule that comes back is drift. A rule of a group that the composition does not declare changes
nothing about that group, which has an owner elsewhere. Rejected: to leave the default rule beside narrower ones, which
would open to all the traffic that the author wanted to close.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from tenuto.core.language.expressions import call_of
from tenuto.model.composition import Declaration
from tenuto.model.ids import Json

_GROUP = "AWS::EC2::SecurityGroup"
_RULE = "AWS::EC2::SecurityGroupEgress"
_INLINE = "SecurityGroupEgress"
_IDS = ("GroupId", "Id")
"""The attributes of a group that are its id."""


def without_default_egress(declarations: tuple[Declaration, ...]) -> tuple[Declaration, ...]:
    """The declarations, where each group with separate egress rules and without inline ones says that it has none."""
    groups = frozenset(_groups(one.properties.get("GroupId") for one in declarations if one.type == _RULE))
    return tuple(
        replace(one, properties={**one.properties, _INLINE: []})
        if one.type == _GROUP and one.logical_id in groups and _INLINE not in one.properties
        else one
        for one in declarations
    )


def _groups(ids: Iterable[Json]) -> Iterator[str]:
    """The logical ids that these values of `GroupId` refer to."""
    for value in ids:
        match call_of(value) if value is not None else None:
            case ("Ref", str() as name):
                yield name
            case ("Fn::GetAtt", [str() as name, str() as attribute]) if attribute in _IDS:
                yield name
