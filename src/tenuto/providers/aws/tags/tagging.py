"""Repair of EC2 tags in bulk: one CreateTags for all things that need the same tags (up to 1,000 ids)."""

from collections.abc import Sequence

from tenuto.errors import ProviderError
from tenuto.model.ids import Json, ObjectId
from tenuto.model.outcome import Outcome, Request
from tenuto.providers.aws.client.answers.pages import any_of, ec2
from tenuto.providers.aws.client.client import AccountClient
from tenuto.providers.aws.client.owner import TagChange, read_tags, tag_change
from tenuto.providers.aws.kind import AwsType
from tenuto.providers.aws.outcomes import Patience

IDS_PER_CALL = 1000
"""The limit of CreateTags and DeleteTags."""
_DESCRIBE_TAGS = ec2("DescribeTags", "Tags")


def repair_tags(
    client: AccountClient, kind: AwsType, requests: Sequence[Request], patience: Patience
) -> dict[ObjectId, Outcome]:
    """Bring the declared tags of each thing to the desired ones. Only those that did not work have an outcome, by
    object id.
    """
    groups: dict[TagChange, list[Request]] = {}
    for request, observed in zip(requests, _observed(client, kind, requests), strict=True):
        change = tag_change(request.properties, observed, kind.facts.of_services)
        if change != TagChange():
            groups.setdefault(change, []).append(request)
    failures: dict[ObjectId, Outcome] = {}
    for change in sorted(groups, key=lambda one: (one.put, one.remove)):
        members = groups[change]
        for start in range(0, len(members), IDS_PER_CALL):
            _apply(client, kind, change, members[start : start + IDS_PER_CALL], failures, patience)
    return failures


def _tag_id(kind: AwsType, request: Request) -> str:
    return str(request.attributes[kind.tag_id] if kind.tag_id else request.physical_id)


def _observed(client: AccountClient, kind: AwsType, requests: Sequence[Request]) -> list[Sequence[Json]]:
    """The declared tags that each has now: from the last sweep, else from a bulk sweep of those without one."""
    unseen = [_tag_id(kind, request) for request in requests if request.observed is None]
    found: dict[str, list[Json]] = {}
    for filters in any_of("resource-id", unseen):
        for tag in client.pages(_DESCRIBE_TAGS, Filters=filters):
            found.setdefault(tag["ResourceId"], []).append(tag)
    return [
        read_tags(found.get(_tag_id(kind, request))).declared
        if request.observed is None
        else request.observed.get("Tags") or ()
        for request in requests
    ]


def _apply(
    client: AccountClient,
    kind: AwsType,
    change: TagChange,
    members: Sequence[Request],
    failures: dict[ObjectId, Outcome],
    patience: Patience,
) -> None:
    """One call for all members; when it fails, one call each, so that one bad id does not stop the rest."""
    ids = [_tag_id(kind, member) for member in members]
    objects = [member.object_id for member in members]
    try:
        if change.put:
            tags = [{"Key": key, "Value": value} for key, value in change.put]
            client.change("ec2", "CreateTags", objects, Resources=ids, Tags=tags)
        if change.remove:
            client.change("ec2", "DeleteTags", objects, Resources=ids, Tags=[{"Key": key} for key in change.remove])
    except ProviderError as error:
        if len(members) == 1:
            one = members[0].object_id
            failures[one] = patience.outcome(one, error, client.clock.now())
            return
        for member in members:
            _apply(client, kind, change, [member], failures, patience)
