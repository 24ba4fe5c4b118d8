"""Values that two resources cannot share: of lists by their members, at paths, and where nothing is declared."""

import pytest

from tenuto.core.planning.comparing.exclusive import Holders
from tenuto.model.ids import JsonMap, TypeName
from tenuto.model.resource import ResourceType
from tenuto_testing.store_samples import an_object

LISTENER, PATH, REGION, FACE = ("On", "Port"), ("Domain", "Path?"), (), ("Faces.Id",)
BOTH = ("Group", "Users", "Roles.Name")


@pytest.mark.parametrize(
    ("group", "held", "wanted", "is_shared"),
    [
        (LISTENER, {"On": "lb", "Port": 80}, {"On": "lb", "Port": 80}, True),
        (LISTENER, {"On": "lb", "Port": 80}, {"On": "lb", "Port": 81}, False),
        (LISTENER, {"On": "lb"}, {"On": "lb"}, False),
        (PATH, {"Domain": "d"}, {"Domain": "d"}, True),
        (PATH, {"Domain": "d"}, {"Domain": "d", "Path": "p"}, False),
        (PATH, {"Path": "p"}, {"Path": "p"}, False),
        (REGION, {}, {"Role": "r"}, True),
        (FACE, {"Faces": [{"Id": "eni-1"}, {"Id": "eni-2"}]}, {"Faces": [{"Id": "eni-2"}]}, True),
        (FACE, {"Faces": [{"Id": "eni-1"}, {"Subnet": "s"}]}, {"Faces": [{"Subnet": "s"}]}, False),
        (FACE, {"Faces": "text"}, {"Faces": "text"}, False),
        (
            BOTH,
            {"Group": "g", "Users": ["a", "b"], "Roles": {"Name": "r"}},
            {"Group": "g", "Users": ["b", "c"], "Roles": {"Name": "r"}},
            True,
        ),
        (BOTH, {"Group": "g", "Users": [], "Roles": {"Name": "r"}}, {"Group": "g", "Users": []}, False),
    ],
)
def test_a_group_is_shared_where_every_path_of_it_is(
    group: tuple[str, ...], held: JsonMap, wanted: JsonMap, is_shared: bool
) -> None:
    name = TypeName("T::A")
    types = {name: ResourceType(name=name, provider="p", source="s", exclusive=(group,))}
    holders = Holders([an_object("one", type=name, desired=held)], types)
    assert bool(holders.of(name, wanted)) is is_shared


RULE = ("Acl", "Number", "Egress?")


@pytest.mark.parametrize(
    ("held", "wanted", "is_shared"),
    [
        ({"Acl": "a", "Number": 100}, {"Acl": "a", "Number": 100, "Egress": True}, False),
        ({"Acl": "a", "Number": 100}, {"Acl": "a", "Number": 100, "Egress": False}, True),
        ({"Acl": "a", "Number": 100}, {"Acl": "a", "Number": 100}, True),
        ({"Acl": "a", "Number": "100", "Egress": "true"}, {"Acl": "a", "Number": 100, "Egress": True}, True),
        ({"Acl": "a", "Number": 100, "Egress": "false"}, {"Acl": "a", "Number": 100}, True),
    ],
)
def test_what_may_be_absent_counts_as_its_default_in_any_spelling(
    held: JsonMap, wanted: JsonMap, is_shared: bool
) -> None:
    name = TypeName("T::A")
    facts = ResourceType(name=name, provider="p", source="s", exclusive=(RULE,), defaults={"Egress": False})
    holders = Holders([an_object("one", type=name, desired=held)], {name: facts})
    assert bool(holders.of(name, wanted)) is is_shared


@pytest.mark.parametrize(
    ("wanted", "is_shared"),
    [
        ({"Name": "n"}, True),
        ({"Name": "n", "Network": "main"}, True),
        ({"Name": "n", "Network": "other"}, False),
    ],
)
def test_what_may_be_absent_is_held_by_its_absence_and_by_the_value_that_the_provider_chose(
    wanted: JsonMap, is_shared: bool
) -> None:
    name = TypeName("T::A")
    facts = ResourceType(
        name=name,
        provider="p",
        source="s",
        exclusive=(("Name", "Network?"),),
        create_only=frozenset({"Network"}),
        attributes=frozenset({"Network"}),
    )
    held = an_object("one", type=name, desired={"Name": "n"}, attributes={"Network": "main"})
    assert bool(Holders([held], {name: facts}).of(name, wanted)) is is_shared
