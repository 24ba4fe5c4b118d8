"""Secrets that AWS keeps, in a real Conductor: looked up, sealed, given to what wants them, and shown to nobody."""

import pytest
from accounts import OWN
from installation import Installation
from live import REGION

NAME = "prod/db"
FIRST, SECOND, SECURE = "hush-%41-first", "hush-second", "hush-secure"
TEMPLATE = """
Resources:
  Password:
    Type: AWS::SSM::Parameter
    Properties: {Type: String, Value: "{{resolve:secretsmanager:prod/db:SecretString:password}}"}
  Url:
    Type: AWS::SSM::Parameter
    Properties: {Type: String, Value: "db://{{resolve:secretsmanager:prod/db:SecretString:user}}:{{resolve:ssm-secure:/key}}@db"}
"""

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]


def document(password: str) -> str:
    return f'{{"user": "ada", "password": "{password}", "port": 5432}}'


def test_a_secret_of_aws_reaches_what_wants_it_and_nothing_else(installation: Installation) -> None:
    live = installation.live
    secrets, parameters = (live.inside(OWN, service, REGION) for service in ("secretsmanager", "ssm"))
    template = str(installation.folder / "db.yaml")
    installation.write("db.yaml", TEMPLATE)
    shown = []

    def does(*words: str, code: int = 0) -> str:
        answer = live.tenuto(*words)
        shown.append(answer.out + answer.err)
        assert answer.code == code, shown[-1]
        return shown[-1]

    def value(name: str) -> str:
        found = parameters.get_parameter(Name=live.id("db", name))["Parameter"]["Value"]
        return str(found)

    told = does("run", template, "-a", "db", code=2)
    assert "no secret text for {{resolve:secretsmanager:prod/db:SecretString:password}}" in told

    secrets.create_secret(Name=NAME, SecretString=document(FIRST))
    parameters.put_parameter(Name="/key", Type="SecureString", Value=SECURE)
    does("run", template, "-a", "db", "--dry-run")
    does("run", template, "-a", "db", "--wait")
    assert (value("Password"), value("Url")) == (FIRST, f"db://ada:{SECURE}@db")
    assert "nothing to do" in does("plan", "db")

    secrets.put_secret_value(SecretId=NAME, SecretString=document(SECOND))
    assert "nothing to do" in does("plan", "db"), "a rotation is no drift"
    assert "1 modify" in does("update", "db", template, "--dry-run", "-o", str(installation.folder / "db.plan"))
    does("update", "db", "--plan", str(installation.folder / "db.plan"), "--wait")
    assert value("Password") == SECOND
    for words in (("status", "db"), ("explain", "db"), ("history", "db"), ("ops", "db"), ("events", "db", "--json")):
        does(*words)

    live.stop()
    files = [path for path in installation.folder.rglob("*") if path.is_file()]
    stored = b"".join(path.read_bytes() for path in files)
    for secret in (FIRST, SECOND, SECURE):
        assert secret not in "".join(shown)
        assert secret.encode() not in stored
