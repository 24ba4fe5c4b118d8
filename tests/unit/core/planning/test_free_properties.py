"""Properties that a provider does not know are compared with what was last declared."""

from dataclasses import replace

from front import Front, submission

from tenuto.core.planning.comparing.changes import changes_of
from tenuto.core.planning.comparing.secrets import Desired
from tenuto.model.delta import Change
from tenuto.model.ids import JsonMap, TypeName
from tenuto.model.resource import ResourceType

TYPE = ResourceType(
    name=TypeName("T"),
    provider="p",
    source="s",
    shown=frozenset({"Image", "Key"}),
    create_only=frozenset({"Image", "Key"}),
    write_only=frozenset({"Key"}),
)
SECRET = {"Ref": "Password"}


def changes(before: JsonMap, after: JsonMap, *, digest: str = "new") -> tuple[Change, ...]:
    """From one declaration to the next, while the provider shows an image and nothing else."""
    front = Front()
    found = front.add_object(front.commands.run(submission()), "Net")
    found = replace(found, desired=before, desired_digest="old")
    return changes_of(Desired(properties=after, digest=digest), {"Image": "a"}, found, TYPE, None)


def test_a_free_property_that_is_as_it_was_declared_is_no_drift_although_nothing_shows_it() -> None:
    assert changes({"Image": "a", "Rack": 7}, {"Image": "a", "Rack": 7}, digest="old") == ()


def test_another_value_is_a_change_in_place_and_so_is_the_end_of_the_property() -> None:
    [change] = changes({"Rack": 7}, {"Rack": 8})
    assert (change.path, change.before, change.after, change.forces_replacement) == ("Rack", 7, 8, False)
    [change] = changes({"Rack": 7}, {})
    assert (change.path, change.before, change.has_after) == ("Rack", 7, False)


def test_the_clear_value_of_a_secret_is_no_change_while_the_wish_is_the_same() -> None:
    assert changes({"Key": SECRET, "Licence": SECRET}, {"Key": "clear", "Licence": "clear"}, digest="old") == ()
    assert [one.path for one in changes({"Key": SECRET}, {"Key": "clear"})] == ["Key"]
