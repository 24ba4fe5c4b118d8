"""Secrets that AWS keeps, in a real Conductor: looked up, sealed, given to what wants them, and shown to nobody."""

import json

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


OWN_SECRET = """
Resources:
  Secret:
    Type: AWS::SecretsManager::Secret
    Properties:
      Name: %(secret)s
      GenerateSecretString:
        SecretStringTemplate: '{"username": "ada"}'
        GenerateStringKey: password
        ExcludePunctuation: true
  Password:
    Type: AWS::SSM::Parameter
    Properties:
      Type: String
      Value: !Sub "db://{{resolve:secretsmanager:${Secret}:SecretString:%(member)s}}@db"
"""


def test_a_secret_that_the_template_makes_is_read_when_it_is_needed_and_stored_nowhere(
    installation: Installation,
) -> None:
    live = installation.live
    secrets, parameters = (live.inside(OWN, service, REGION) for service in ("secretsmanager", "ssm"))
    template = str(installation.folder / "own.yaml")
    shown: list[str] = []
    known: list[str] = []

    def does(*words: str, code: int = 0) -> str:
        answer = live.tenuto(*words)
        shown.append(answer.out + answer.err)
        assert answer.code == code, shown[-1]
        return shown[-1]

    def password(name: str) -> str:
        known.append(json.loads(secrets.get_secret_value(SecretId=name)["SecretString"])["password"])
        return known[-1]

    def value() -> str:
        return str(parameters.get_parameter(Name=live.id("own", "Password"))["Parameter"]["Value"])

    def write(**words: str) -> None:
        installation.write("own.yaml", OWN_SECRET % {"secret": "first", "member": "password", **words})

    write()
    assert "2 create" in does("run", template, "-a", "own", "--dry-run")
    does("run", template, "-a", "own", "--wait")
    assert value() == f"db://{password('first')}@db"
    assert "nothing to do" in does("plan", "own")

    parameters.put_parameter(Name=live.id("own", "Password"), Value="db://another@db", Overwrite=True)
    live.until(lambda: value() == f"db://{known[0]}@db", "the repair of a value that another hand wrote")

    secrets.put_secret_value(SecretId="first", SecretString='{"username": "ada", "password": "rotated-by-hand"}')
    known.append("rotated-by-hand")
    assert "nothing to do" in does("plan", "own"), "a rotation is no drift"

    write(secret="second")
    does("update", "own", template, "--wait")
    assert value() == f"db://{password('second')}@db", "another secret is another value"

    write(secret="second", member="nothing")
    does("update", "own", template)
    told = "no secret text for {{resolve:secretsmanager:"
    live.until(lambda: told in does("explain", "own", "Password"), "the wait for a member that is not there")
    write(secret="second")
    does("update", "own", template, "--wait")
    for words in (
        ("status", "own"),
        ("explain", "own"),
        ("history", "own"),
        ("ops", "own"),
        ("events", "own", "--json"),
    ):
        does(*words)
    does("status", "own", "--json")
    does("kill", "own", "--wait")

    live.stop()
    stored = b"".join(path.read_bytes() for path in installation.folder.rglob("*") if path.is_file())
    for secret in known:
        assert secret not in "".join(shown)
        assert secret.encode() not in stored
