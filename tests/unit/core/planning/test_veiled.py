"""Fingerprints of properties that hold a secret tell drift, and nothing else."""

from dataclasses import replace

from front import Front, entry, submission

from tenuto.core.planning.comparing.secrets import CONFIGURE, fingerprints, has_drifted
from tenuto.model.attempt import Attempt
from tenuto.model.ids import TypeName
from tenuto.model.resource import Comparison, ManagedObject, ResourceType

HIDDEN = {"Fn::Join": ["", ["login ", {"Ref": "Password"}]]}
TYPE = ResourceType(
    name=TypeName("T"),
    provider="p",
    source="s",
    write_only=frozenset({"Token"}),
    compare_as={"Folded": Comparison.FOLDED},
)


def configured(clear: dict[str, object]) -> ManagedObject:
    """A network whose every property holds a secret, configured with these clear values."""
    front = Front()
    process = front.commands.run(submission())
    found = replace(front.add_object(process, "Net"), desired=dict.fromkeys(clear, HIDDEN))
    done = entry(CONFIGURE, "Completed", act=Attempt(fingerprints=fingerprints(found, clear, TYPE)))
    return replace(found, phases={CONFIGURE: done})


def test_another_text_is_drift_and_the_same_text_is_none() -> None:
    found = configured({"UserData": "login hunter2"})
    assert not has_drifted(found, "UserData", "login hunter2")
    assert has_drifted(found, "UserData", "login hunter3")


def test_what_is_not_shown_and_what_was_never_configured_tell_nothing() -> None:
    found = configured({"UserData": "login hunter2"})
    assert not has_drifted(found, "UserData", None)
    assert not has_drifted(replace(found, phases={}), "UserData", "anything")


def test_only_texts_that_are_shown_as_they_are_have_a_fingerprint() -> None:
    found = configured({"UserData": "a", "Token": "b", "Folded": "c", "List": ["d"]})
    assert fingerprints(found, {"UserData": "a", "Token": "b", "Folded": "c", "List": ["d"]}, TYPE).keys() == {
        "UserData"
    }


def test_the_fingerprint_of_the_same_text_differs_from_incarnation_to_incarnation() -> None:
    one, other = configured({"UserData": "a"}), configured({"UserData": "a"})
    other = replace(other, object_id=type(other.object_id)("another"))
    assert fingerprints(one, {"UserData": "a"}, TYPE) != fingerprints(other, {"UserData": "a"}, TYPE)
