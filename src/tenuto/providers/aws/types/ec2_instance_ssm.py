"""The documents of Systems Manager that an AWS::EC2::Instance declares for itself (`SsmAssociations`).

An association is known by its document and its instance. It does not go with the instance, so it is taken away before
that is. One that reaches the instance by a tag is another user's, and stands in no instance.
"""

from collections.abc import Mapping, Sequence

from tenuto.core.planning.equality.values import means_same
from tenuto.errors import ProviderError
from tenuto.model.ids import Json, JsonMap
from tenuto.model.outcome import Request
from tenuto.model.resource import Comparison, Rule
from tenuto.providers.aws.blocks.calls import Listed
from tenuto.providers.aws.client.answers import faults
from tenuto.providers.aws.client.client import AccountClient
from tenuto.providers.aws.kind import Work

ASSOCIATIONS = "SsmAssociations"
_PARAMETERS = f"{ASSOCIATIONS}.AssociationParameters"
RULES: Mapping[str, Rule] = {ASSOCIATIONS: Comparison.SET, _PARAMETERS: Comparison.SET}
_LIST = Listed(operation="ListAssociations", id="AssociationId", members="Associations")


def _documents(client: AccountClient, instance_id: str) -> list[str]:
    """The documents that are associated with this very instance."""
    within = [{"key": "InstanceId", "value": instance_id}]
    listed = client.pages(_LIST.paging("ssm"), AssociationFilterList=within)
    return [str(one["Name"]) for one in listed if one.get("InstanceId") == instance_id]


def read(client: AccountClient, instance_id: str) -> list[JsonMap]:
    """The associations as they are declared."""
    found: list[JsonMap] = []
    for name in _documents(client, instance_id):
        answer = client.read("ssm", "DescribeAssociation", Name=name, InstanceId=instance_id)
        parameters: JsonMap = answer["AssociationDescription"].get("Parameters") or {}
        told = [{"Key": key, "Value": list(parameters[key])} for key in sorted(parameters)]
        found.append({"DocumentName": name, **({"AssociationParameters": told} if told else {})})
    return found


def change(work: Work, value: Json) -> None:
    """Bring the associations to the declared ones. Another one of the same document needs the old one gone."""
    wanted: Sequence[JsonMap] = value
    seen: Sequence[JsonMap] = work.seen(ASSOCIATIONS) or ()
    for one in seen:
        if not _is_among(one, wanted):
            work.let_go("ssm", "DeleteAssociation", Name=one["DocumentName"], InstanceId=work.id)
    for one in wanted:
        if not _is_among(one, seen):
            given = {str(each["Key"]): list(each["Value"]) for each in one.get("AssociationParameters") or ()}
            parameters = {"Parameters": given} if given else {}
            work.change("ssm", "CreateAssociation", Name=one["DocumentName"], InstanceId=work.id, **parameters)


def _is_among(one: JsonMap, others: Sequence[JsonMap]) -> bool:
    return any(means_same([one], [other], RULES, ASSOCIATIONS) for other in others)


def take_away(client: AccountClient, request: Request) -> None:
    """Delete the associations of an instance that declares some. Raises ProviderError."""
    if not request.properties.get(ASSOCIATIONS):
        return
    instance_id = str(request.physical_id)
    for name in _documents(client, instance_id):
        try:
            client.change("ssm", "DeleteAssociation", [request.object_id], Name=name, InstanceId=instance_id)
        except ProviderError as error:
            if not faults.is_gone(error):
                raise
