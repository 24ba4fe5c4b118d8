"""AWS::DynamoDB::Table. Its Ref is its name.

DynamoDB takes one kind of change at a time and refuses the next until the table is active again. So the table is looked
at before each of them, and a change that has to wait is done when the phase comes back.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from tenuto.errors import PermanentError, TakenError
from tenuto.model.ids import Json, PhysicalId
from tenuto.model.observation import Condition
from tenuto.model.outcome import Done, Outcome, Pending
from tenuto.model.resource import Comparison
from tenuto.providers.aws.client.answers import faults
from tenuto.providers.aws.kind import AwsType, Source, Work, by_owner
from tenuto.providers.aws.naming import KMS_KEY
from tenuto.providers.aws.question import by_name
from tenuto.providers.aws.types import (
    dynamodb_indexes,
    dynamodb_insights,
    dynamodb_policies,
    dynamodb_read,
    dynamodb_throughput,
)
from tenuto.providers.aws.types.cloud_control_settled import ATTRIBUTES_OF_KEYS
from tenuto.providers.aws.types.dynamodb_read import NAME
from tenuto.providers.aws.types.facts import calls, facts, unsaid
from tenuto.providers.aws.types.named import Named

_NAMED = Named("TableName", 255)
_READ_AGAIN_S = 5.0
"""Tables become active, and go, in some ten seconds."""
_LOCAL = "LocalSecondaryIndexes"
_STREAMING = "KinesisStreamSpecification"
_PRECISION = "ApproximateCreationDateTimePrecision"
_IN_STEPS = (
    dynamodb_indexes.NAME,
    dynamodb_insights.NAME,
    _STREAMING,
    "StreamSpecification",
    dynamodb_throughput.WARM,
)
"""The properties that take more than one call to change."""
_ENCRYPTED_SO = "already encrypted by given KMSMasterKey"
"""The words with which DynamoDB refuses a key that the table has. Their code, ValidationException, says much else."""


def _create(work: Work) -> Outcome:
    name = _NAMED(work.request)
    if _exists(work, name):
        raise TakenError(f"There is a table {name} already.")
    given = work.given("AttributeDefinitions", "DeletionProtectionEnabled", "KeySchema", _LOCAL, "TableClass")
    made = work.change(
        "dynamodb",
        "CreateTable",
        TableName=name,
        BillingMode=work.want("BillingMode") or "PROVISIONED",
        # Conditions may leave nothing in a list, and DynamoDB refuses an empty one.
        **{name: value for name, value in given.items() if value or name != _LOCAL},
        **dynamodb_indexes.at_birth(work),
        **dynamodb_policies.at_birth(work),
        **dynamodb_throughput.at_birth(work.request.properties),
        **_stream(work),
        **_encryption(work),
        **dynamodb_read.TAGS.at_birth(work),
    )["TableDescription"]
    known = {name: value for name, value in dynamodb_read.attributes(made).items() if value is not None}
    return Done(physical_id=PhysicalId(name), attributes=known)


def _exists(work: Work, name: str) -> bool:
    return faults.unless_gone(lambda: work.read("dynamodb", "DescribeTable", TableName=name)) is not None


def _stream(work: Work) -> dict[str, Json]:
    """A composition says which view; that there is a stream at all follows from it.

    A stream keeps its view: for another one it ends, and a new one begins with the next call.
    """
    wanted, present = work.want("StreamSpecification"), work.seen("StreamSpecification")
    if present:
        is_same = wanted and wanted.get("StreamViewType") == present.get("StreamViewType")
        return {} if is_same else {"StreamSpecification": {"StreamEnabled": False}}
    if not wanted:
        return {}
    return {"StreamSpecification": {"StreamEnabled": True, "StreamViewType": wanted.get("StreamViewType")}}


def _encryption(work: Work) -> dict[str, Json]:
    """The encryption for the API, where the member SSEEnabled of a composition is named Enabled."""
    wanted = work.want("SSESpecification")
    if not wanted:
        return {}
    others = {key: wanted[key] for key in ("SSEType", "KMSMasterKeyId") if key in wanted}
    return {"SSESpecification": {"Enabled": wanted.get("SSEEnabled"), **others}}


def _modify(work: Work) -> Outcome:
    """Change the tags at once; change the rest one after the other, as long as the table is active."""
    dynamodb_read.TAGS.repair(work)
    for one in _CHANGES:
        if not one.differs(work):
            continue
        # A change made a moment ago may go on still, and the last sweep may have been before it.
        now = _as_it_is(work)
        if now is None or one.is_under_way(now):
            return Pending(message="an earlier change of the table is still being made", delay_s=_READ_AGAIN_S)
        parameters = one.parameters(now) if one.differs(now) else {}
        if parameters:
            _changed(work, one.operation, parameters)
            if one.name in _IN_STEPS:
                note = dynamodb_insights.noted(work, parameters)
                return Pending(message=f"{one.name} is being changed", delay_s=_READ_AGAIN_S, progress=note)
    return Done(physical_id=work.id)


def _changed(work: Work, operation: str, parameters: Mapping[str, Json]) -> None:
    """Make a change. Whether the key of an alias is the one that the table has may be known to DynamoDB alone."""
    about = {} if "ResourceArn" in parameters else {"TableName": work.id}
    try:
        work.change("dynamodb", operation, **about, **parameters)
    except PermanentError as error:
        if _ENCRYPTED_SO not in str(error):
            raise


def _as_it_is(work: Work) -> Work | None:
    """Return the work with the properties that the table has now; None while it takes no change."""
    declared = work.type.facts.costly_among(work.request.properties) - {"Tags"}
    for _, shown in dynamodb_read.named(work.client, [str(work.id)], declared):
        if shown.condition is Condition.READY:
            known = {**work.request.attributes, **shown.attributes}
            return replace(work, request=replace(work.request, observed=shown.properties, attributes=known))
    return None


def _billing(work: Work) -> dict[str, Json]:
    """The billing and the throughput. Where both are new, DynamoDB asks for the throughput of each index, too."""
    is_new = work.differs("BillingMode") and work.want("BillingMode") == "PROVISIONED"
    return {
        **work.given("BillingMode", "ProvisionedThroughput"),
        **(dynamodb_indexes.provisioned(work) if is_new else {}),
    }


def _is_warming(work: Work) -> bool:
    return dynamodb_throughput.is_warming(dynamodb_read.described(work))


def _is_under_way(work: Work) -> bool:
    """Whether a stream of Kinesis is being turned on or off."""
    status = dynamodb_read.destination(work.client, str(work.id)).get("DestinationStatus")
    return status in ("ENABLING", "DISABLING", "UPDATING")


def _parted(work: Work) -> dict[str, Json]:
    """The stream that is told of changes no more. A table tells one: the old one goes before a new one comes."""
    wanted, present = ((value or {}).get("StreamArn") for value in (work.want(_STREAMING), work.seen(_STREAMING)))
    return {"StreamArn": present} if present and present != wanted else {}


def _told(work: Work) -> dict[str, Json]:
    wanted = work.want(_STREAMING)
    if wanted is None or work.seen(_STREAMING):
        return {}
    precision = {key: wanted[key] for key in (_PRECISION,) if key in wanted}
    settings = {"EnableKinesisStreamingConfiguration": precision} if precision else {}
    return {"StreamArn": wanted["StreamArn"], **settings}


def _retold(work: Work) -> dict[str, Json]:
    wanted, present = work.want(_STREAMING) or {}, work.seen(_STREAMING) or {}
    if _PRECISION not in wanted or wanted["StreamArn"] != present.get("StreamArn"):
        return {}
    change = {_PRECISION: wanted[_PRECISION]}
    return {"StreamArn": wanted["StreamArn"], "UpdateKinesisStreamingConfiguration": change}


def _lasting(work: Work) -> dict[str, Json]:
    """The time to live. To turn it off, DynamoDB asks for the attribute that it was about."""
    name = "TimeToLiveSpecification"
    return {name: {**(work.seen(name) or {}), **work.want(name)}}


def _same(name: str) -> Callable[[Work], dict[str, Json]]:
    """The properties that DynamoDB calls as a composition does."""
    return lambda work: work.given(name)


@dataclass(frozen=True, slots=True)
class _Change:
    """One call for a property: its parameters, none where it is not needed. Before that nothing may be under way."""

    name: str
    operation: str
    parameters: Callable[[Work], dict[str, Json]]
    is_under_way: Callable[[Work], bool] = lambda _: False
    follows: str = ""
    """The property of which a change brings a change of this one."""

    def differs(self, work: Work) -> bool:
        """Whether the call may be needed."""
        follows = self.follows and work.want(self.name) is not None and work.differs(self.follows)
        return work.differs(self.name) or bool(follows)


_CHANGES = (
    _Change("TimeToLiveSpecification", "UpdateTimeToLive", _lasting),
    _Change("PointInTimeRecoverySpecification", "UpdateContinuousBackups", _same("PointInTimeRecoverySpecification")),
    _Change("BillingMode", "UpdateTable", _billing),
    _Change("ProvisionedThroughput", "UpdateTable", _billing),
    _Change(dynamodb_throughput.LIMITS, "UpdateTable", dynamodb_throughput.limits),
    _Change(dynamodb_throughput.WARM, "UpdateTable", dynamodb_throughput.warmth, _is_warming),
    _Change(
        dynamodb_indexes.NAME,
        "UpdateTable",
        dynamodb_indexes.change,
        dynamodb_indexes.is_under_way,
        follows=dynamodb_indexes.ATTRIBUTES,
    ),
    _Change(
        dynamodb_indexes.NAME,
        "UpdateContributorInsights",
        dynamodb_insights.change_of_index,
        dynamodb_insights.is_index_under_way,
        follows=dynamodb_indexes.ATTRIBUTES,
    ),
    _Change("StreamSpecification", "UpdateTable", _stream),
    _Change("StreamSpecification", "PutResourcePolicy", dynamodb_policies.put_on_stream),
    _Change("StreamSpecification", "DeleteResourcePolicy", dynamodb_policies.drop_from_stream),
    _Change(_STREAMING, "DisableKinesisStreamingDestination", _parted, _is_under_way),
    _Change(_STREAMING, "EnableKinesisStreamingDestination", _told, _is_under_way),
    _Change(_STREAMING, "UpdateKinesisStreamingDestination", _retold, _is_under_way),
    _Change("SSESpecification", "UpdateTable", _encryption),
    _Change("TableClass", "UpdateTable", _same("TableClass")),
    _Change("DeletionProtectionEnabled", "UpdateTable", _same("DeletionProtectionEnabled")),
    _Change(dynamodb_policies.NAME, "PutResourcePolicy", dynamodb_policies.put),
    _Change(dynamodb_policies.NAME, "DeleteResourcePolicy", dynamodb_policies.drop),
    _Change(
        dynamodb_insights.NAME, "UpdateContributorInsights", dynamodb_insights.change, dynamodb_insights.is_under_way
    ),
)


def _delete(work: Work) -> Outcome:
    """Delete the table: done when there is no such table any more. That there was none before is told to the caller by
    an error.
    """
    if dynamodb_read.described(work).get("TableStatus") != "DELETING":
        work.change("dynamodb", "DeleteTable", TableName=work.id)
        if not _exists(work, str(work.id)):
            return Done(physical_id=work.id)
    return Pending(message=f"{work.id} is being deleted", delay_s=_READ_AGAIN_S)


SOURCE = Source(name="dynamodb.ListTables", read=dynamodb_read.read)

TABLE = AwsType(
    facts=facts(
        NAME,
        SOURCE,
        refused={
            "ImportSourceSpecification": "An import makes a table by another call, once, out of a bucket. "
            "Import the data with `aws dynamodb import-table`, and bring the table in with `tenuto import`.",
            "StreamSpecification.Tags": "No emulator serves the tags of streams, so nothing shows that they "
            "would be held. Take them out, and tag the stream with `aws dynamodb tag-resource` after the run.",
            "VectorIndexes": "No emulator serves vector indexes, so nothing shows that they would be held. "
            "Take them out.",
        },
        goes_in_steps=True,
        calls=calls(
            "dynamodb:CreateTable",
            "dynamodb:DeleteTable",
            "dynamodb:UpdateTable",
            changes={
                dynamodb_insights.NAME: "dynamodb:UpdateContributorInsights",
                dynamodb_policies.NAME: "dynamodb:PutResourcePolicy",
            },
            drops={dynamodb_policies.NAME: "dynamodb:DeleteResourcePolicy"},
            tags="dynamodb:TagResource dynamodb:UntagResource",
        ),
        create_only="KeySchema LocalSecondaryIndexes",
        settled_members=ATTRIBUTES_OF_KEYS,
        costly=dynamodb_read.DETAILS,
        compare_as={
            # An index that is not declared, any more or at all, brings its attributes along.
            "AttributeDefinitions": Comparison.MEMBERS,
            **dynamodb_insights.RULES,
            **dynamodb_policies.RULES,
            **dynamodb_read.INDEX_RULES,
            **dynamodb_throughput.RULES,
            "SSESpecification.KMSMasterKeyId": KMS_KEY,
            "TableClass": Comparison.SHOWN,
            "TimeToLiveSpecification.AttributeName": Comparison.SHOWN,
        },
        defaults={
            "DeletionProtectionEnabled": False,
            **dynamodb_insights.DEFAULTS,
            **dynamodb_policies.DEFAULTS,
            **dynamodb_throughput.DEFAULTS,
            "GlobalSecondaryIndexes": [],
            _STREAMING: None,
            "PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": False},
            "SSESpecification": {"SSEEnabled": False},
            "StreamSpecification": None,
            "TableClass": "STANDARD",
            "TimeToLiveSpecification": {"Enabled": False},
        },
        exclusive=[("TableName",)],
        unsaid=[unsaid(f"{dynamodb_throughput.WARM} {dynamodb_indexes.NAME}.{dynamodb_throughput.WARM}")],
        named_by="TableName",
        named_attributes="Arn",
        bears_data=True,
    ),
    source=SOURCE,
    question=by_name("dynamodb", "DescribeTable", "TableName", "Table"),
    create=_create,
    modify=_modify,
    delete=_delete,
    is_found=by_owner,
    find_name=_NAMED,
    marks=dynamodb_read.TAGS.marks,
)
TYPES = (TABLE,)
