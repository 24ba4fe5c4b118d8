"""An update with another secret changes the properties that hold it, and replaces nothing for the sake of another one.

A database whose user and password both come as NoEcho parameters must outlive a new password: the user is settled at
its creation, and to count it as changed would replace the database.
"""

from dataclasses import replace

import pytest
from front import Front, submission

from tenuto.core.planning.comparing.changes import changes_of
from tenuto.core.planning.comparing.secrets import Desired, digest_of
from tenuto.model.composition import Composition, Parameter
from tenuto.model.ids import JsonMap, TypeName
from tenuto.model.resource import ManagedObject, ResourceType

TYPE = ResourceType(
    name=TypeName("T"),
    provider="p",
    source="s",
    create_only=frozenset({"User"}),
    write_only=frozenset({"Password"}),
)
DECLARED: JsonMap = {"User": {"Ref": "Name"}, "Password": {"Ref": "Word"}, "Size": 5}
SHOWN: JsonMap = {"User": "ann", "Size": 5}


def declaring(**known: str) -> Composition:
    parameters = {name: Parameter(name=name, fingerprint=text) for name, text in known.items()}
    return Composition(name="shop", digest="", region="", parameters=parameters)


def standing(properties: JsonMap, composition: Composition) -> ManagedObject:
    front = Front()
    found = front.add_object(front.commands.run(submission()), "Net")
    return replace(found, desired=properties, desired_digest=digest_of(properties, composition))


def changed(found: ManagedObject, properties: JsonMap, composition: Composition) -> dict[str, bool]:
    """The paths that an update changes, and whether each needs another thing."""
    desired = Desired(properties=properties, digest=digest_of(properties, composition))
    changes = changes_of(desired, SHOWN, found, TYPE, composition)
    return {one.path: one.forces_replacement for one in changes}


@pytest.mark.parametrize("size", [5, 6])
def test_another_password_is_a_change_of_the_password_alone(size: int) -> None:
    found = standing(DECLARED, declaring(Name="a", Word="w1"))
    expected = {"Password": False} | ({"Size": False} if size == 6 else {})
    assert changed(found, {**DECLARED, "Size": size}, declaring(Name="a", Word="w2")) == expected


def test_another_user_is_another_thing_also_where_more_changes() -> None:
    found = standing(DECLARED, declaring(Name="a", Word="w1"))
    after = changed(found, {**DECLARED, "Size": 6}, declaring(Name="b", Word="w1"))
    assert after == {"User": True, "Size": False}


def test_the_same_secrets_are_no_change_and_a_fingerprint_is_not_told() -> None:
    composition = declaring(Name="fingerprint-a", Word="fingerprint-w")
    found = standing(DECLARED, composition)
    assert changed(found, DECLARED, composition) == {}
    assert "fingerprint" not in found.desired_digest


def test_a_property_that_names_another_secret_is_changed() -> None:
    composition = declaring(Name="a", Word="w", Other="w")
    found = standing(DECLARED, composition)
    assert changed(found, {**DECLARED, "Password": {"Ref": "Other"}}, composition) == {"Password": False}


def test_a_secret_in_place_of_a_plain_value_is_a_change_of_its_property_alone() -> None:
    composition = declaring(Name="a", Word="w")
    found = standing({**DECLARED, "Password": "plain"}, composition)
    assert changed(found, DECLARED, composition) == {"Password": False}
