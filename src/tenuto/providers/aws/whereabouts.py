"""Facts of a partition as a whole: account, zones, looked-up values, and aliases of keys."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from tenuto.errors import PermanentError, ProviderError
from tenuto.model.composition import SECRET_LOOKUP
from tenuto.model.ids import Instant, Json
from tenuto.model.outcome import Context
from tenuto.model.secret_reference import SECRETS_MANAGER, SECURE_STRING, SecretReference
from tenuto.providers.aws.client.answers import faults
from tenuto.providers.aws.client.answers.pages import ec2
from tenuto.providers.aws.client.client import AccountClient

USER_POOL_CLIENT = "resolve:cognito-idp-client:"
"""Before the id (`POOL|CLIENT`) of a client of a user pool: a reference to its secret. Such a reference is the value of
an attribute, so that nothing keeps the secret itself; no template has one."""
_NO_SECRET = "ResourceNotFoundException"
_KEYS_PER_CALL = 10
"""The limit of GetParameters."""
LONG_AGO = Instant(0.0)
"""The moment since which an answer is wanted when any that is still kept will do."""
_ZONES = ec2("DescribeAvailabilityZones", "AvailabilityZones", page_size=0)


def read_context(client: AccountClient) -> Context:
    """Read the account and the available zones, sorted by name."""
    identity = client.read("sts", "GetCallerIdentity")
    region = client.partition.region
    filters = [
        {"Name": "state", "Values": ["available"]},
        {"Name": "zone-type", "Values": ["availability-zone"]},
        {"Name": "region-name", "Values": [region]},
    ]
    zones = sorted(
        str(zone["ZoneName"])
        for zone in client.pages(_ZONES, Filters=filters)
        if zone.get("RegionName", region) == region
    )
    return Context(account_id=str(identity["Account"]), zones={region: tuple(zones)})


def look_up(client: AccountClient, keys: Sequence[str]) -> Mapping[str, Json]:
    """Look up the values of parameters, a text with commas for a StringList as in CloudFormation, and of secrets. A
    value that does not exist is missing from the answer.

    Raises ProviderError; no message of it holds the content of a secret.
    """
    secure = [key for key in keys if key.startswith(SECURE_STRING)]
    plain = [key for key in keys if not key.startswith(SECRET_LOOKUP)]
    of_clients = [key for key in keys if key.startswith(USER_POOL_CLIENT)]
    opened = _parameters(client, [key.removeprefix(SECURE_STRING) for key in secure], is_opened=True)
    return {
        **_parameters(client, plain, is_opened=False),
        **{f"{SECURE_STRING}{name}": value for name, value in opened.items()},
        **_secrets(client, [key for key in keys if key.startswith(SECRETS_MANAGER)]),
        **{key: secret for key in of_clients if (secret := _secret_of_client(client, key)) is not None},
    }


def _parameters(client: AccountClient, names: Sequence[str], *, is_opened: bool) -> dict[str, Json]:
    found: dict[str, Json] = {}
    for start in range(0, len(names), _KEYS_PER_CALL):
        asked = list(names[start : start + _KEYS_PER_CALL])
        for parameter in client.read("ssm", "GetParameters", Names=asked, WithDecryption=is_opened)["Parameters"]:
            if parameter.get("Type") == "SecureString" and not is_opened:
                raise PermanentError(
                    f"{parameter['Name']} is a SecureString, whose value is told as {{{{resolve:ssm-secure:"
                    f"{parameter['Name']}}}}} in a property alone. Refer to it so, or name a parameter of type String.",
                    code="SecureStringParameter",
                )
            found[parameter["Name"] + str(parameter.get("Selector") or "")] = parameter["Value"]
    return found


def _secrets(client: AccountClient, keys: Sequence[str]) -> dict[str, Json]:
    """The values of the references. A secret is read once, however many of its members are asked for."""
    parsed = {key: SecretReference.parse(key.removeprefix(SECRETS_MANAGER)) for key in keys}
    references = {key: reference for key, reference in parsed.items() if reference is not None}
    wholes = list(dict.fromkeys(replace(reference, key="") for reference in references.values()))
    texts = dict(zip(wholes, client.each(lambda one: _secret(client, one), wholes), strict=True))
    found = {key: _meant(texts[replace(reference, key="")], reference.key) for key, reference in references.items()}
    return {key: value for key, value in found.items() if value is not None}


def _secret(client: AccountClient, reference: SecretReference) -> str | None:
    """The text of a secret; None when there is no such secret or version, or when it is binary."""
    wanted = {"VersionStage": reference.stage, "VersionId": reference.version}
    given = {name: value for name, value in wanted.items() if value}
    try:
        answer = client.read("secretsmanager", "GetSecretValue", SecretId=reference.secret, **given)
    except PermanentError as error:
        if error.code == _NO_SECRET:
            return None
        raise
    text = answer.get("SecretString")
    return str(text) if text is not None else None


def _secret_of_client(client: AccountClient, key: str) -> str | None:
    """The secret of a client of a user pool; None when there is none."""
    pool, _, name = key.removeprefix(USER_POOL_CLIENT).partition("|")
    try:
        answer = client.read("cognito-idp", "DescribeUserPoolClient", UserPoolId=pool, ClientId=name)
    except PermanentError as error:
        if faults.is_gone(error):
            return None
        raise
    secret = answer["UserPoolClient"].get("ClientSecret")
    return None if secret is None else str(secret)


def _meant(text: str | None, key: str) -> str | None:
    """The text of a secret, or a member of it as text; None when it is no JSON object, or has no such member."""
    if text is None or not key:
        return text
    try:
        document = json.loads(text)
    except ValueError:
        return None
    value = document.get(key) if isinstance(document, dict) else None
    return value if isinstance(value, str) or value is None else json.dumps(value)


def pointed_at(client: AccountClient, names: Sequence[str], since: Instant = LONG_AGO) -> Mapping[str, str]:
    """The ARN of the key that each alias of KMS stands for, as asked after `since`; without those that are not known.

    A user who makes something with a key must be allowed to describe that key anyway, and a description also answers
    for an alias of another account.
    """
    return told_of_each(
        client, names, lambda name: str(client.ask("kms", "DescribeKey", KeyId=name)["KeyMetadata"]["Arn"]), since
    )


def told_of_each(
    client: AccountClient, names: Sequence[str], ask: Callable[[str], str], since: Instant = LONG_AGO
) -> Mapping[str, str]:
    """The answer of AWS about each name, as asked after `since` and within the time for which it is kept.

    Each is asked for by itself. A refusal of any kind means that nothing is known of a name, and leaves it out.
    """

    def tell(name: str) -> str | None:
        try:
            return ask(name)
        except (ProviderError, LookupError):
            return None

    def read(asked: Sequence[str]) -> Mapping[str, str]:
        found = zip(asked, client.each(tell, asked), strict=True)
        return {name: answer for name, answer in found if answer is not None}

    return client.pointers.of(names, since, read)
