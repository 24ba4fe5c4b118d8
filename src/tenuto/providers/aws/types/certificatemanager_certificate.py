"""AWS::CertificateManager::Certificate. Its Ref is its ARN.

Theory of operation. A certificate is there at once, and of use when its domains are proven. For a domain with a
`HostedZoneId` Tenuto writes the record that proves it, as CloudFormation does; for any other one the phase sleeps, and
says which record is waited for. Like CloudFormation it leaves these records behind: certificates of one domain share
them, and ACM renews by them.

ACM shows the first domain among the further ones, whether it was declared there or not. So it counts as a further one
for a declaration that names it there, and for no other.
"""

from dataclasses import replace
from typing import Any

from tenuto.errors import PermanentError
from tenuto.model.ids import Json, JsonMap
from tenuto.model.observation import ObservedItem
from tenuto.model.outcome import Done, Outcome, Pending
from tenuto.model.resource import Comparison
from tenuto.model.spelling import Words
from tenuto.providers.aws.blocks.block import block
from tenuto.providers.aws.blocks.calls import Call, Described, Listed
from tenuto.providers.aws.blocks.wire import at
from tenuto.providers.aws.client.client import AccountClient
from tenuto.providers.aws.kind import AwsType, Scope, Seen, Work
from tenuto.providers.aws.types.tag_calls import TagCalls

_LOGGING = "CertificateTransparencyLoggingPreference"
_EXPORT = "CertificateExport"
_OPTIONS = "DomainValidationOptions"
_FURTHER = "SubjectAlternativeNames"
_ASK_AGAIN_S = 15.0
_TTL_S = 300
_KEYS = ("RSA_1024", "RSA_2048", "RSA_3072", "RSA_4096", "EC_prime256v1", "EC_secp384r1", "EC_secp521r1")
"""Without them the list shows the certificates with keys of RSA_2048 alone."""


def _others(certificate: JsonMap) -> Json:
    """The further domains without the first one, which ACM shows among them."""
    return [name for name in certificate.get(_FURTHER) or () if name != certificate.get("DomainName")]


def _by_mail(options: Json) -> Json:
    """The domains whose owners get a mail elsewhere: the only ones that ACM is told of."""
    members = ("DomainName", "ValidationDomain")
    told = [{name: one[name] for name in members} for one in options if one.get("ValidationDomain")]
    return told or None


_BLOCK = block(
    "AWS::CertificateManager::Certificate",
    "acm",
    goes_in_steps=True,
    key="CertificateArn",
    listed=Listed(
        operation="ListCertificates",
        id="CertificateArn",
        members="CertificateSummaryList",
        size=1000,
        fixed={"Includes": {"keyTypes": list(_KEYS)}},
    ),
    described=Described(call=Call("DescribeCertificate"), at="Certificate", anew=True),
    create="RequestCertificate",
    made="CertificateArn",
    sent_as={_OPTIONS: _by_mail},
    renamed={_LOGGING: f"Options.{_LOGGING}", _EXPORT: "Options.Export"},
    shown={
        _FURTHER: _others,
        _LOGGING: f"Options.{_LOGGING}",
        _EXPORT: "Options.Export",
        "KeyAlgorithm": lambda one: str(one.get("KeyAlgorithm") or "").replace("-", "_") or None,
    },
    modify={"UpdateCertificateOptions": _LOGGING},
    delete="DeleteCertificate",
    attributes={"Id": "CertificateArn"},
    tags=TagCalls(
        service="acm",
        list_call="ListTagsForCertificate",
        put_call="AddTagsToCertificate",
        remove_call="RemoveTagsFromCertificate",
        id_name="CertificateArn",
        keys_as="Tags",
        takes_members=True,
    ),
    refused={
        "Id": "The ARN of a certificate is given by AWS: Ref answers with it.",
    },
    write_only=_OPTIONS,
    compare_as={
        _FURTHER: Comparison.SET,
        "DomainName": Comparison.FOLDED,
        _EXPORT: Words(absent="DISABLED"),
    },
)


def proven(work: Work, outcome: Outcome) -> Outcome:
    """The outcome of a change, or a pending one with the validations that the certificate still waits for.

    Raises PermanentError when ACM gave up: only another certificate helps then.
    """
    shown = work.read("acm", "DescribeCertificate", CertificateArn=work.id)["Certificate"]
    if shown.get("Status") in ("FAILED", "VALIDATION_TIMED_OUT"):
        reason = str(shown.get("FailureReason") or shown["Status"]).replace("_", " ").lower()
        raise PermanentError(
            f"ACM did not issue the certificate of {shown.get('DomainName')}: {reason}. Change the domains, or end "
            "the process and run it anew.",
            code=str(shown["Status"]),
        )
    if shown.get("Status") != "PENDING_VALIDATION":
        return outcome
    awaited = [one for one in shown.get(_OPTIONS) or () if one.get("ValidationStatus") != "SUCCESS"]
    zones = {str(one.get("DomainName")): one["HostedZoneId"] for one in _declared(work) if one.get("HostedZoneId")}
    told = []
    for one in awaited:
        record = one.get("ResourceRecord")
        zone = _zone(str(one.get("DomainName")), zones)
        if record and zone:
            _write(work, zone, record)
        told.append(_told(one, is_written=bool(record and zone)))
    return Pending(message="; ".join(dict.fromkeys(told)) or "ACM validates the domains", delay_s=_ASK_AGAIN_S)


def _declared(work: Work) -> list[JsonMap]:
    return list(work.want(_OPTIONS) or ())


def _zone(domain: str, zones: dict[str, Any]) -> str:
    """The zone that was declared for a domain, or for the one that it is a wildcard of."""
    return str(zones.get(domain) or zones.get(domain.removeprefix("*.")) or zones.get(f"*.{domain}") or "")


def _write(work: Work, zone: str, record: JsonMap) -> None:
    """Write the record that proves a domain, unless the zone has it."""
    shown = work.read(
        "route53",
        "ListResourceRecordSets",
        HostedZoneId=zone,
        StartRecordName=record["Name"],
        StartRecordType=record["Type"],
        MaxItems="1",
    )
    there = at(shown, "ResourceRecordSets[0]") or {}
    name = str(record["Name"]).rstrip(".").casefold()
    if there.get("Type") == record["Type"] and str(there.get("Name")).rstrip(".").casefold() == name:
        return
    put = {"Name": record["Name"], "Type": record["Type"], "TTL": _TTL_S}
    change = {"Action": "UPSERT", "ResourceRecordSet": {**put, "ResourceRecords": [{"Value": record["Value"]}]}}
    work.change("route53", "ChangeResourceRecordSets", HostedZoneId=zone, ChangeBatch={"Changes": [change]})


def _told(one: JsonMap, *, is_written: bool) -> str:
    domain, record = one.get("DomainName"), one.get("ResourceRecord")
    if is_written:
        return f"ACM looks for the record that proves {domain}"
    if record:
        return f"ACM waits for a record that proves {domain}: {record['Name']} {record['Type']} {record['Value']}"
    if one.get("ValidationMethod") == "EMAIL":
        return f"ACM waits for an answer to the mail that it sent to the owners of {domain}"
    return f"ACM has not said yet which record proves {domain}"


def _validated(kind: AwsType) -> AwsType:
    """The type whose change goes on until the domains are proven."""
    change = kind.modify
    assert change is not None

    def modify(work: Work) -> Outcome:
        outcome = change(work)
        return proven(work, outcome) if isinstance(outcome, Done) else outcome

    return replace(kind, modify=modify)


def _repeating_the_first(kind: AwsType) -> AwsType:
    """The type whose further domains may be declared with the first one among them."""

    def read(client: AccountClient, scope: Scope) -> list[Seen]:
        return [(name, with_first_lent(item)) for name, item in kind.source.read(client, scope)]

    return replace(kind, source=replace(kind.source, read=read))


def with_first_lent(item: ObservedItem) -> ObservedItem:
    """A certificate that shows its first domain among the further ones to a declaration that has it there."""
    first = item.properties.get("DomainName")
    return replace(item, lent={**item.lent, _FURTHER: [first]}) if first else item


CERTIFICATE = _repeating_the_first(_validated(_BLOCK))
TYPES = (CERTIFICATE,)
