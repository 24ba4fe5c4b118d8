"""Values that AWS keeps for others: each secret is read once, and only what it holds is an answer."""

from typing import Any

import pytest

from tenuto.errors import PermanentError
from tenuto.model.secret_reference import SECRETS_MANAGER, SECURE_STRING
from tenuto.providers.aws.whereabouts import look_up

TEXTS = {"db": '{"user": "ada", "port": 5432, "more": {"a": [1]}}', "plain": "hush"}


class AccountClient:
    """Answers like Secrets Manager and the parameter store, and remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []

    def each(self, function: Any, items: Any) -> list[Any]:
        return [function(item) for item in items]

    def read(self, service: str, operation: str, **parameters: Any) -> Any:
        self.asked.append(parameters)
        if service == "ssm":
            found = [{"Name": name, "Value": f"of {name}"} for name in parameters["Names"]]
            return {"Parameters": [{**one, "Type": "SecureString"} if "/b" in one["Name"] else one for one in found]}
        if parameters["SecretId"] == "closed":
            raise PermanentError("not yours", code="AccessDeniedException")
        if parameters["SecretId"] == "bytes":
            return {"SecretBinary": b"x"}
        if parameters["SecretId"] not in TEXTS:
            raise PermanentError("none", code="ResourceNotFoundException")
        return {"SecretString": TEXTS[parameters["SecretId"]]}


def found(client: AccountClient, *references: str) -> dict[str, Any]:
    keys = [f"{SECRETS_MANAGER}{one}" for one in references]
    answers = look_up(client, keys)  # type: ignore[arg-type]
    return {key.removeprefix(SECRETS_MANAGER): value for key, value in answers.items()}


def test_members_of_one_secret_are_read_at_once_and_are_texts() -> None:
    client = AccountClient()
    members = ("db:SecretString:user", "db:SecretString:port", "db:SecretString:more")
    assert list(found(client, *members).values()) == ["ada", "5432", '{"a": [1]}']
    assert client.asked == [{"SecretId": "db"}]


def test_a_stage_and_a_version_are_asked_for() -> None:
    client = AccountClient()
    found(client, "db:SecretString:user:AWSPREVIOUS", "db:SecretString:user::v-1")
    assert client.asked == [{"SecretId": "db", "VersionStage": "AWSPREVIOUS"}, {"SecretId": "db", "VersionId": "v-1"}]


@pytest.mark.parametrize("reference", ["none", "bytes", "plain:SecretString:user", "db:SecretString:password"])
def test_what_is_not_there_is_missing(reference: str) -> None:
    assert found(AccountClient(), reference, "plain") == {"plain": "hush"}


def test_a_refusal_is_told() -> None:
    with pytest.raises(PermanentError, match="not yours"):
        found(AccountClient(), "closed")


def test_a_secure_string_is_opened_and_a_parameter_is_not() -> None:
    client = AccountClient()
    assert look_up(client, ["/a", f"{SECURE_STRING}/b:3"]) == {  # type: ignore[arg-type]
        "/a": "of /a",
        f"{SECURE_STRING}/b:3": "of /b:3",
    }
    assert {(one["Names"][0], one["WithDecryption"]) for one in client.asked} == {("/a", False), ("/b:3", True)}


def test_a_secure_string_that_is_referred_to_like_a_text_is_refused_with_the_way_to_write_it() -> None:
    with pytest.raises(PermanentError, match="resolve:ssm-secure:/b}}"):
        look_up(AccountClient(), ["/a", "/b"])  # type: ignore[arg-type]
