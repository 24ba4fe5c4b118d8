"""`Ref` and `Fn::GetAtt` answer as they did at the real AWS, refusals are read as they were meant, and what makes a new
thing there makes one here.

Each managed type of which an outcome was recorded is held against it: a type without a block by the recorded model of
the thing, a block by the things of its examples. What does not agree is one list with reasons.
"""

import re
from collections.abc import Mapping
from functools import lru_cache
from http.client import NOT_FOUND
from typing import Any

import botocore.session
import pytest
from aws_examples import EXAMPLES as ALL_EXAMPLES
from block_examples import EXAMPLES as BLOCK_EXAMPLES
from block_examples import THING, BenchOf
from botocore.exceptions import ClientError
from validated_outcomes import (
    FOLDER,
    REF,
    Live,
    Refused,
    Told,
    form,
    is_alike,
    lives,
    outputs_of,
    recreations,
    refusals,
    told,
)

from tenuto.core.planning.comparing.references import reference_of
from tenuto.errors import ProviderError
from tenuto.model.ids import Partition, TypeName
from tenuto.providers.aws.client.answers import faults
from tenuto.providers.aws.types.catalogue import BLOCKS, CATALOGUE
from tenuto.providers.aws.types.cloud_control_acts import CloudControlType
from tenuto.providers.aws.types.facts import published
from tenuto_testing.provider_conformance import Example

pytestmark = pytest.mark.skipif(not FOLDER.is_dir(), reason="TENUTO_RECORDINGS names no folder of recorded outcomes")

GROUPS: dict[str, tuple[Example, ...]] = {
    "the others": ALL_EXAMPLES,
    **{name: (*one.needs, one.thing) for name, one in BLOCK_EXAMPLES.items()},
}
"""The things that are made side by side."""
DISAGREES: Mapping[tuple[str, str], str] = {
    ("AWS::ApiGateway::Account", REF): "AWS makes up a name that no call takes",
    ("AWS::ApiGateway::DomainName", "DomainNameArn"): "the emulator shows no ARN of a domain",
    ("AWS::AppSync::ApiKey", REF): "it is the ARN, which the recording lacks",
    ("AWS::DynamoDB::Table", "StreamArn"): "the example has no stream",
    ("AWS::EC2::NetworkAclEntry", REF): "AWS makes up a name that no call takes",
    (
        "AWS::EC2::SecurityGroup",
        REF,
    ): "one recorded group declares no VPC, which the examples do (cloudformation.group_names)",
    (
        "AWS::EC2::TransitGatewayRouteTablePropagation",
        REF,
    ): "AWS joins the ids by _ in the other order, which no call takes",
    ("AWS::Lambda::Url", "FunctionUrl"): "the emulator leaves out the slash at the end",
    ("AWS::Route53::RecordSetGroup", REF): "AWS makes up a name that no call takes",
    ("AWS::SQS::QueuePolicy", REF): "AWS makes up a name that no call takes",
}
"""The answers of a type that are not those of AWS, and why."""


def _at(model: Any, path: str) -> Any:
    for name in path.split("."):
        model = model.get(name) if isinstance(model, dict) else None
    return model


def answers() -> dict[str, list[Told]]:
    """What AWS answered about each type that has a block: in validated tests, and of the things that were recorded."""
    found = told()
    for one in lives():
        if TypeName(one.type) in BLOCKS:
            found.append(Told(type=one.type, name=REF, value=one.physical_id, source=one.source))
            attributes = sorted(published(one.type).attributes)
            shown = {name: _at(one.model, name) for name in attributes}
            found += [
                Told(type=one.type, name=name, value=value, source=one.source)
                for name, value in shown.items()
                if isinstance(value, str | int) and name in CATALOGUE[TypeName(one.type)].facts.attributes
            ]
    by_type: dict[str, list[Told]] = {}
    for told_once in {(one.type, one.name, form(one.value)): one for one in found}.values():
        by_type.setdefault(told_once.type, []).append(told_once)
    return by_type


ANSWERS = answers()


def the_live(*, with_block: bool) -> list[Any]:
    return [
        pytest.param(one, id=one.source)
        for one in lives()
        if TypeName(one.type) in CATALOGUE and (TypeName(one.type) in BLOCKS) is with_block
    ]


@pytest.mark.parametrize("live", the_live(with_block=False))
def test_ref_of_a_type_without_a_block_is_the_physical_id_that_cloudformation_gave(live: Live) -> None:
    schema, kind = published(live.type), CATALOGUE[TypeName(live.type)]
    # A part that only the identifier holds is the name of the thing itself.
    parts = [_at(live.model, name) or live.physical_id for name in schema.primary_identifier]
    own: CloudControlType = kind.source.read.__self__  # type: ignore[attr-defined]
    item = own.seen("|".join(map(str, parts)), live.model)[1]
    agrees = reference_of(item) == live.physical_id
    assert agrees is ((live.type, REF) not in DISAGREES), f"Ref is {reference_of(item)}"


@pytest.mark.parametrize("examples", GROUPS.values(), ids=list(GROUPS))
def test_ref_and_attributes_of_blocks_have_the_form_that_aws_gave_them(
    examples: tuple[Example, ...], bench_of: BenchOf
) -> None:
    differing = {}
    with bench_of(examples) as bench:
        for request in bench.make_all():
            item = bench.ready(request)
            for one in ANSWERS.get(request.type, ()):
                ours = reference_of(item) if one.name == REF else item.attributes.get(one.name)
                if not is_alike(ours, one.value):
                    differing[request.type, one.name] = (ours, one.value, one.source)
        whole = BLOCK_EXAMPLES.get(examples[-1].type)
        for holder in whole.held_by if whole and examples[-1] == whole.thing else ():
            bench.remove(bench.requests[holder])
    made = {example.type for example in examples}
    assert differing.keys() == {key for key in DISAGREES if TypeName(key[0]) in made}, differing


def test_ref_of_a_rule_on_another_bus_has_the_bus_before_its_name(
    bench_of: BenchOf,
    session: botocore.session.Session,
    partition: Partition,
) -> None:
    [outputs] = outputs_of("test_rule_properties")
    bus, _, name = outputs["RuleWithNameRef"].partition("|")
    bus, name = bus.strip("<>"), name.strip("<>")
    session.create_client("events", region_name=partition.region).create_event_bus(Name=bus)
    properties = {"Name": name, "EventBusName": bus, "EventPattern": {"source": ["shop"]}}
    with bench_of((Example(name=THING, type=TypeName("AWS::Events::Rule"), properties=properties),)) as bench:
        [request] = bench.make_all()
        assert reference_of(bench.ready(request)) == f"{bus}|{name}"
        assert bench.ready(request).attributes["Arn"].endswith(f":rule/{bus}/{name}")


@pytest.mark.parametrize("changed", sorted(recreations()), ids=lambda changed: f"{changed[0]}.{changed[1]}")
def test_a_property_makes_a_new_thing_where_it_does_at_aws(changed: tuple[str, str, str]) -> None:
    type_name, name, recreation = changed
    facts = CATALOGUE[TypeName(type_name)].facts
    assert (name in facts.create_only) is (recreation == "Always")


GONE = re.compile(r"not exist|n.t exist|not found|can ?not be found|can.t find|no such\b", re.IGNORECASE)
TAKEN = re.compile(r"already exist|already own it", re.IGNORECASE)
REFERRED = "it is about something else that the call names, and not about the thing itself"
SETTING = "a setting of a bucket that is not set; the bucket is there, and its reader takes the setting for none"
OF_AN_OBJECT = "it is about an object in a bucket, which is no resource"
WITHOUT_WORDS = "the code says that it is gone, and the text does not"
OTHERWISE: Mapping[tuple[str, str], str] = {
    ("kms", "NotFoundException"): WITHOUT_WORDS,
    ("lambda", "InvalidParameterValueException"): REFERRED,
    ("logs", "InvalidParameterException"): REFERRED,
    ("s3", "404"): "a status without a code may come from anything on the way to AWS",
    ("s3", "InvalidTargetBucketForLogging"): REFERRED,
    ("s3", "KMS.NotFoundException"): "a fresh key may not be known to S3 yet, so it is asked again like what is gone",
    ("s3", "NoSuchCORSConfiguration"): SETTING,
    ("s3", "NoSuchConfiguration"): SETTING,
    ("s3", "NoSuchLifecycleConfiguration"): SETTING,
    ("s3", "NoSuchObjectLockConfiguration"): OF_AN_OBJECT,
    ("s3", "NoSuchPublicAccessBlockConfiguration"): SETTING,
    ("s3", "NoSuchTagSet"): SETTING,
    ("s3", "NoSuchVersion"): OF_AN_OBJECT,
    ("s3", "NoSuchWebsiteConfiguration"): SETTING,
    ("s3", "ObjectLockConfigurationNotFoundError"): SETTING,
    ("s3", "OwnershipControlsNotFoundError"): SETTING,
    ("s3", "ReplicationConfigurationNotFoundError"): SETTING,
    ("ses", "EventDestinationDoesNotExist"): WITHOUT_WORDS,
    ("ses", "InvalidSNSDestination"): REFERRED,
    ("ses", "MessageRejected"): REFERRED,
}
"""The refusals that are read otherwise than their words say, by service and code, and why."""


def meaning(error: ProviderError) -> str:
    """What a refusal means for a thing: that it is gone, that there is one already, or neither."""
    return "gone" if faults.is_gone(error) else "taken" if faults.is_taken(error) else ""


def told_by(refused: Refused) -> str:
    """What the status and the words of a refusal say."""
    if refused.status == NOT_FOUND or GONE.search(refused.message):
        return "gone"
    return "taken" if TAKEN.search(refused.message) else ""


@lru_cache
def codes_of(service: str) -> frozenset[str]:
    model = botocore.session.get_session().get_service_model(service)
    return frozenset(str(shape.error_code) for shape in model.error_shapes)


def read_as(refused: Refused) -> str:
    said = codes_of(refused.service)
    return meaning(faults.translate(ClientError(refused.response, "Call"), f"{refused.service} Call", said=said))


def test_refusals_are_read_as_aws_meant_them() -> None:
    found = refusals()
    assert len(found) > 1_000
    differing = {(one.service, one.code): (one.message, read_as(one)) for one in found if read_as(one) != told_by(one)}
    assert differing.keys() == OTHERWISE.keys(), {
        key: differing.get(key) for key in differing.keys() ^ OTHERWISE.keys()
    }
