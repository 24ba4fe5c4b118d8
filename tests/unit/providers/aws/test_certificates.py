"""A certificate is done when its domains are proven; until then its phase sleeps and says which record is missing."""

from typing import cast

import pytest

from tenuto.errors import PermanentError
from tenuto.model.ids import Json, JsonMap, LogicalId, ObjectId, PhysicalId, TypeName
from tenuto.model.outcome import Done, Pending, Request
from tenuto.providers.aws.client.client import AccountClient
from tenuto.providers.aws.kind import Work
from tenuto.providers.aws.types.certificatemanager_certificate import CERTIFICATE, proven

ARN = PhysicalId("arn:aws:acm:us-east-1:123456789012:certificate/1")
DONE = Done(physical_id=ARN)
RECORD = {"Name": "_x.example.org.", "Type": "CNAME", "Value": "_y.acm-validations.aws."}


class CertificateClient:
    """A client that knows one certificate, and one zone with some records."""

    def __init__(self, certificate: JsonMap, records: list[JsonMap]) -> None:
        self.certificate = certificate
        self.records = records

    def ask(self, service: str, operation: str, **given: Json) -> JsonMap:
        if operation == "DescribeCertificate":
            return {"Certificate": {"DomainName": "example.org", **self.certificate}}
        assert (service, operation, given["HostedZoneId"]) == ("route53", "ListResourceRecordSets", "Z1")
        return {"ResourceRecordSets": self.records}

    def change(self, service: str, operation: str, objects: Json, **given: Json) -> JsonMap:
        assert (service, operation, given["HostedZoneId"]) == ("route53", "ChangeResourceRecordSets", "Z1")
        self.records = [one["ResourceRecordSet"] for one in given["ChangeBatch"]["Changes"]]
        return {}


def work(certificate: JsonMap, *options: JsonMap, records: list[JsonMap] | None = None) -> Work:
    request = Request(
        object_id=ObjectId("o"),
        fid=None,
        process_name="web",
        logical_id=LogicalId("Certificate"),
        type=TypeName("AWS::CertificateManager::Certificate"),
        token="o",
        properties={"DomainName": "example.org", "DomainValidationOptions": list(options)},
        physical_id=ARN,
    )
    client = CertificateClient(certificate, list(records or ()))
    return Work(client=cast(AccountClient, client), request=request, type=CERTIFICATE)


def pending(domain: str = "example.org", **more: Json) -> JsonMap:
    one = {"DomainName": domain, "ValidationStatus": "PENDING_VALIDATION", **more}
    return {"Status": "PENDING_VALIDATION", "DomainValidationOptions": [one]}


def test_an_issued_certificate_is_done() -> None:
    assert proven(work({"Status": "ISSUED"}), DONE) is DONE


def test_the_record_that_a_person_has_to_create_is_told() -> None:
    outcome = proven(work(pending(ResourceRecord=RECORD)), DONE)
    assert isinstance(outcome, Pending)
    told = "ACM waits for a record that proves example.org: _x.example.org. CNAME _y.acm-validations.aws."
    assert outcome.message == told


@pytest.mark.parametrize("domain", ["example.org", "*.example.org"])
def test_a_record_in_a_zone_of_ours_is_written_once(domain: str) -> None:
    one = work(pending(domain, ResourceRecord=RECORD), {"DomainName": "example.org", "HostedZoneId": "Z1"})
    for _ in range(2):
        outcome = proven(one, DONE)
        assert isinstance(outcome, Pending)
        assert outcome.message == f"ACM looks for the record that proves {domain}"
    # A day and many questions later it was still written once.
    assert one.sent == ["ChangeResourceRecordSets"]


def test_before_acm_names_the_record_nothing_is_written() -> None:
    one = work(pending(), {"DomainName": "example.org", "HostedZoneId": "Z1"})
    outcome = proven(one, DONE)
    assert isinstance(outcome, Pending)
    assert (outcome.message, one.sent) == ("ACM has not said yet which record proves example.org", [])


def test_a_mail_that_nobody_answered_is_told() -> None:
    outcome = proven(work(pending(ValidationMethod="EMAIL")), DONE)
    assert isinstance(outcome, Pending)
    assert "the mail that it sent to the owners of example.org" in outcome.message


def test_a_certificate_that_acm_refused_fails_with_its_reason() -> None:
    with pytest.raises(PermanentError, match="no available contacts"):
        proven(work({"Status": "FAILED", "FailureReason": "NO_AVAILABLE_CONTACTS"}), DONE)
