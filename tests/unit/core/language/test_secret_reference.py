"""References to secrets, as CloudFormation writes them."""

import pytest

from tenuto.model.secret_reference import SecretReference

ARN = "arn:aws:secretsmanager:eu-west-1:123456789012:secret:prod/db-a1b2c3"


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("db", ("db", "", "", "")),
        ("db:SecretString", ("db", "", "", "")),
        ("db:SecretString:password", ("db", "password", "", "")),
        ("prod/db:SecretString:user name:AWSPREVIOUS", ("prod/db", "user name", "AWSPREVIOUS", "")),
        ("db:SecretString:password::v-1", ("db", "password", "", "v-1")),
        ("db::::", ("db", "", "", "")),
        (ARN, (ARN, "", "", "")),
        (f"{ARN}:SecretString:password", (ARN, "password", "", "")),
    ],
)
def test_a_reference_names_a_secret_and_what_of_it_is_meant(text: str, parts: tuple[str, str, str, str]) -> None:
    found = SecretReference.parse(text)
    assert found is not None
    assert (found.secret, found.key, found.stage, found.version) == parts


@pytest.mark.parametrize(
    "text", ["", ":SecretString:x", "db:SecretBinary", "db:SecretString:k:stage:version", "a:b:c:d:e:f"]
)
def test_another_form_is_no_reference(text: str) -> None:
    assert SecretReference.parse(text) is None
