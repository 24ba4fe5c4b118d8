"""Attributes that a provider tells once: sealed as they are told, and opened for their own process alone."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

import pytest

from tenuto.conductor.leading.tempo import Tempo
from tenuto.conductor.provider_phases.calls import ProviderCalls
from tenuto.conductor.providing.providers import ProviderTypes
from tenuto.conductor.providing.requests import Requests
from tenuto.core.language.expressions import KEPT_SECRET
from tenuto.errors import PermanentError
from tenuto.model.attempt import UNTRIED, Attempt
from tenuto.model.ids import Fid, Instant, Json, ObjectId, Partition, PhaseName, PhysicalId
from tenuto.model.outcome import Done, Outcome, Request
from tenuto.model.phase_map import PhaseStatus
from tenuto.model.process import Process
from tenuto.model.resource import ManagedObject
from tenuto.model.secret_reference import SealedReference
from tenuto.ports.phase import PhaseResource, PhaseRun
from tenuto.ports.secrets import place_of_attribute
from tenuto.storage.file.secrets import KeyedSecrets, new_keys
from tenuto_testing.store_samples import DB, HERE, WEB, a_process, an_entry, an_object

SECRET = "Zq9/told+once"
MADE = ObjectId("obj-key")
SECRETS = KeyedSecrets(new_keys())


class Processes:
    """A store that knows every process."""

    def process(self, fid: Fid) -> Process:
        return a_process(fid)

    def processes_of(self, fids: Iterable[Fid]) -> Mapping[Fid, Process]:
        return {fid: a_process(fid) for fid in fids}


class Run:
    partition = HERE
    now = Instant(1000.0)
    phase = PhaseName("resource.create")

    def __init__(self) -> None:
        self.is_complete = False

    def complete(self, one: PhaseResource) -> None:
        self.is_complete = True


class Resource:
    physical_id: PhysicalId | None = None
    act: Attempt = UNTRIED

    def __init__(self, found: ManagedObject) -> None:
        self.object = found
        self.attributes: dict[str, Json] = {}


def requests() -> Requests:
    return Requests(cast("Any", Processes()), SECRETS)


def reading(reference: Json, fid: Fid = WEB) -> ManagedObject:
    """An object that is declared with a secret that was told once."""
    return an_object("obj-copy", fid, desired={"Label": {"Fn::Join": ["", ["key: ", reference]]}})


def sealed(fid: Fid = WEB) -> Json:
    seal = SECRETS.seal(SECRET, place_of_attribute(fid, MADE, "Secret"))
    return {KEPT_SECRET: str(SealedReference(object_id=MADE, attribute="Secret", seal=seal))}


def test_an_attribute_that_is_told_once_is_kept_as_a_reference_that_opens_for_its_process() -> None:
    entry = an_entry(PhaseStatus.RUNNING, phase=Run.phase)
    run, one = Run(), Resource(an_object(MADE, phases={Run.phase: entry}))
    answer = Done(physical_id=PhysicalId("AKIA1"), attributes={"Ref": "AKIA1"}, told_once={"Secret": SECRET})

    def create(_: Partition, asked: Sequence[Request]) -> Sequence[Outcome]:
        return [answer for _ in asked]

    calls = ProviderCalls(
        providers={},
        types=ProviderTypes({}),
        observations=cast("Any", None),
        store=cast("Any", Processes()),
        secrets=SECRETS,
        tempo=Tempo(period_s=30.0, patience_s=600.0),
    )
    calls.judge(cast("PhaseRun", run), [cast("PhaseResource", one)], requests(), create)
    assert run.is_complete
    assert one.attributes["Ref"] == "AKIA1"
    assert SECRET not in repr((one.attributes, answer))
    request = requests().of(reading(one.attributes["Secret"]))
    assert request.properties == {"Label": f"key: {SECRET}"}


def test_a_request_with_it_needs_nothing_of_the_provider_and_its_answers_are_masked() -> None:
    found = reading(sealed())
    assert requests().missing(found) == ()
    assert SECRET in requests().of(found).secrets
    assert requests().masker(found).mask(f"Value ({SECRET}) is invalid") == "Value (****) is invalid"


def test_it_opens_in_no_other_process() -> None:
    with pytest.raises(PermanentError, match="Secret is a secret that the provider told once") as told:
        requests().of(reading(sealed(WEB), DB))
    assert SECRET not in str(told.value)
    assert not requests().masker(reading(sealed(WEB), DB))


def test_a_seal_under_another_name_or_object_does_not_open() -> None:
    seal = SECRETS.seal(SECRET, place_of_attribute(WEB, MADE, "Secret"))
    for object_id, name in ((ObjectId("obj-other"), "Secret"), (MADE, "Other")):
        reference = SealedReference(object_id=object_id, attribute=name, seal=seal)
        with pytest.raises(PermanentError):
            requests().of(reading({KEPT_SECRET: str(reference)}))


@pytest.mark.parametrize("text", ["resolve:secretsmanager:a:SecretString:b", "sealed:", "sealed:obj-1:Secret", "x"])
def test_a_text_of_another_form_is_no_seal(text: str) -> None:
    assert SealedReference.parse(text) is None


def test_a_reference_is_read_as_it_was_written() -> None:
    reference = SealedReference(object_id=MADE, attribute="Secret.Key", seal="a:b=c")
    assert SealedReference.parse(str(reference)) == reference
