"""AWS::Route53::HostedZone. Its Ref is its id.

A zone is made without tags and gets them right afterwards. A creation without an answer is looked up by the reference
that Tenuto gave it. A zone goes when only the two records that Route 53 keeps in each are left.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from tenuto.kit.first_names import first_of
from tenuto.model.ids import Json, JsonMap, PhysicalId
from tenuto.model.outcome import Done, Outcome, Pending
from tenuto.model.resource import Comparison
from tenuto.providers.aws.blocks.block import block
from tenuto.providers.aws.blocks.calls import Call, Described, Listed
from tenuto.providers.aws.blocks.parts import Plain, Shown
from tenuto.providers.aws.blocks.thing import Thing
from tenuto.providers.aws.client.client import AccountClient
from tenuto.providers.aws.client.names import generated_name
from tenuto.providers.aws.kind import Work
from tenuto.providers.aws.types.facts import untried
from tenuto.providers.aws.types.route53_changes import SERVICE, in_effect, settled
from tenuto.providers.aws.types.route53_names import HOST, plain_id, plain_name, shown_name
from tenuto.providers.aws.types.route53_tags import tags_of

_NAME = "AWS::Route53::HostedZone"
_OWN = ("NS", "SOA")
"""The types of the records that each zone has, and that go with it."""
_MOST = 5
"""The records that are named in one message."""


_QUERY_LOGS = Listed(operation="ListQueryLoggingConfigs", id="Id").paging(SERVICE)


def _logs_of(client: AccountClient, zone: str) -> Iterator[JsonMap]:
    """The settings of a zone, from the list of all, which is read whole since accounts have few."""
    return (one for one in client.pages(_QUERY_LOGS) if one["HostedZoneId"] == zone)


@dataclass(frozen=True, kw_only=True)
class _Networks(Shown):
    """The networks that see a private zone. It must have one, so those that are missing come before others go."""

    properties = frozenset({"VPCs"})

    def read(self, thing: Thing) -> dict[str, Json]:
        return {"VPCs": [dict(one) for one in thing.answer.get("VPCs") or ()]}

    def at_birth(self, work: Work) -> dict[str, Json]:
        networks = work.want("VPCs") or ()
        return {"VPC": networks[0]} if networks else {}

    def repair(self, work: Work, service: str, words: str) -> None:
        if not work.differs("VPCs"):
            return
        wanted, present = list(work.want("VPCs") or ()), list(work.seen("VPCs") or ())
        for operation, networks in (
            ("AssociateVPCWithHostedZone", [one for one in wanted if one not in present]),
            ("DisassociateVPCFromHostedZone", [one for one in present if one not in wanted]),
        ):
            for network in networks:
                work.change(service, operation, HostedZoneId=work.id, VPC=network)

    def changes(self, service: str) -> Mapping[str, str]:
        return {"VPCs": f"{service}:AssociateVPCWithHostedZone"}


@dataclass(frozen=True, kw_only=True)
class _QueryLog(Plain):
    """The log group that gets the questions to a zone. For another one, the old setting goes first: a zone has one."""

    properties = frozenset({"QueryLoggingConfig"})

    def read(self, thing: Thing) -> dict[str, Json]:
        found = [one["CloudWatchLogsLogGroupArn"] for one in _logs_of(thing.client, thing.id)]
        return {"QueryLoggingConfig": {"CloudWatchLogsLogGroupArn": found[0]}} if found else {}

    def repair(self, work: Work, service: str, words: str) -> None:
        if work.differs("QueryLoggingConfig"):
            self.clear(work, service, words)
            wanted = work.want("QueryLoggingConfig")
            if wanted is not None:
                work.change(service, "CreateQueryLoggingConfig", HostedZoneId=work.id, **wanted)

    def clear(self, work: Work, service: str, words: str) -> None:
        for one in list(_logs_of(work.client, work.id)):
            work.let_go(service, "DeleteQueryLoggingConfig", Id=one["Id"])

    def changes(self, service: str) -> Mapping[str, str]:
        return {"QueryLoggingConfig": f"{service}:CreateQueryLoggingConfig"}

    def drops(self, service: str) -> Mapping[str, str]:
        return {"QueryLoggingConfig": f"{service}:DeleteQueryLoggingConfig"}


@dataclass(frozen=True, kw_only=True)
class _Comment(Shown):
    """The comment of a zone, the one member of its configuration that is declared."""

    properties = frozenset({"HostedZoneConfig"})

    def read(self, thing: Thing) -> dict[str, Json]:
        shown: JsonMap = thing.answer.get("Config") or (thing.answer.get("HostedZone") or {}).get("Config") or {}
        return {"HostedZoneConfig": {"Comment": shown.get("Comment", "")}}

    def at_birth(self, work: Work) -> dict[str, Json]:
        comment = (work.want("HostedZoneConfig") or {}).get("Comment")
        is_private = {"PrivateZone": True} if work.want("VPCs") else {}
        given = {**({"Comment": comment} if comment else {}), **is_private}
        return {"HostedZoneConfig": given} if given else {}

    def repair(self, work: Work, service: str, words: str) -> None:
        if work.differs("HostedZoneConfig"):
            comment = work.want("HostedZoneConfig").get("Comment") or ""
            work.change(service, "UpdateHostedZoneComment", Id=work.id, Comment=comment)

    def changes(self, service: str) -> Mapping[str, str]:
        return {"HostedZoneConfig": f"{service}:UpdateHostedZoneComment"}


_PROOFS = ".acm-validations.aws"
"""The domain of ACM that the records point into by which it knows the owner of another one."""
_PARTS = (_Networks(), _QueryLog(), _Comment())
_TAGS = tags_of("hostedzone", "HostedZoneTags")
_ZONE = block(
    _NAME,
    SERVICE,
    key="Id",
    listed=Listed(operation="ListHostedZones", id=lambda one: plain_id(one["Id"])),
    described=Described(call=Call("GetHostedZone")),
    create="CreateHostedZone",
    made="HostedZone.Id",
    token="CallerReference",
    token_at="CallerReference",
    shown={
        "Name": lambda one: shown_name(one.get("Name") or one["HostedZone"]["Name"]),
        "DelegationSetId": lambda one: plain_id((one.get("DelegationSet") or {}).get("Id") or "") or None,
    },
    attributes={"Id": "$id", "NameServers": "DelegationSet.NameServers"},
    parts=_PARTS,
    delete="DeleteHostedZone",
    tags=_TAGS,
    undeclarable=lambda one: "another service of AWS keeps it" if one.get("LinkedService") else "",
    refused={
        "HostedZoneFeatures": untried("aws route53 update-hosted-zone-features"),
    },
    # Networks of other accounts are associated from there.
    compare_as={"Name": HOST, "VPCs": Comparison.SHARED},
    defaults={"HostedZoneConfig": {"Comment": ""}, "QueryLoggingConfig": None},
)


def _create(work: Work) -> Outcome:
    born: dict[str, Json] = {}
    for part in _PARTS:
        born |= part.at_birth(work)
    made = work.change(
        SERVICE,
        "CreateHostedZone",
        CallerReference=generated_name(work.request, 64),
        **work.given("Name", "DelegationSetId"),
        **born,
    )
    zone = PhysicalId(plain_id(made["HostedZone"]["Id"]))
    _TAGS.give(replace(work, request=replace(work.request, physical_id=zone)))
    # A private zone has no servers that the world would ask.
    servers = (made.get("DelegationSet") or {}).get("NameServers")
    attributes = {"Id": zone, **({"NameServers": servers} if servers else {})}
    return settled(made["ChangeInfo"], Done(physical_id=zone, attributes=attributes))


def _delete(work: Work) -> Outcome:
    """Delete the zone, unless it holds records that another user made, and that would be lost."""
    zone = work.read(SERVICE, "GetHostedZone", Id=work.id)["HostedZone"]
    others = _others(work, plain_name(zone["Name"])) if zone.get("ResourceRecordSetCount", 0) > len(_OWN) else []
    names = [f"{shown_name(one['Name'])} {one['Type']}" for one in others if not _is_proof(one)]
    if names:
        told = first_of(names, _MOST)
        return Pending(
            message=f"{work.id} holds records that are not of this process: {told}",
            code="HostedZoneNotEmpty",
            is_undone=True,
            is_held=True,
            hint="Delete these records, or keep the zone: `DeletionPolicy: Retain`.",
        )
    if others:
        changes = [{"Action": "DELETE", "ResourceRecordSet": one} for one in others]
        work.change(SERVICE, "ChangeResourceRecordSets", HostedZoneId=work.id, ChangeBatch={"Changes": changes})
    for part in _PARTS:
        part.clear(work, SERVICE, "Id")
    answer = work.change(SERVICE, "DeleteHostedZone", Id=work.id)
    return settled(answer["ChangeInfo"], Done(physical_id=work.id))


def _others(work: Work, zone: str) -> list[JsonMap]:
    """The records of a zone that do not go with it, as far as one page shows them."""
    answer = work.read(SERVICE, "ListResourceRecordSets", HostedZoneId=work.id)
    return [
        one for one in answer["ResourceRecordSets"] if not (one["Type"] in _OWN and plain_name(one["Name"]) == zone)
    ]


def _is_proof(record: JsonMap) -> bool:
    """Whether a record proves a domain to ACM: certificates leave these behind, and without the zone they say
    nothing."""
    values = [str(one.get("Value")).rstrip(".") for one in record.get("ResourceRecords") or ()]
    return record["Type"] == "CNAME" and bool(values) and all(value.endswith(_PROOFS) for value in values)


ZONE = replace(_ZONE, create=in_effect(_create), delete=in_effect(_delete))
TYPES = (ZONE,)
