"""Keys of users, whose secrets AWS tells once: kept sealed, given to what wants them, told to nobody."""

import pytest
from accounts import OWN
from installation import Installation
from live import REGION

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

TEMPLATE = """
Resources:
  Worker:
    Type: AWS::IAM::User
    Properties: {UserName: worker}
  Key:
    Type: AWS::IAM::AccessKey
    Properties: {UserName: !Ref Worker, Serial: %(serial)s, Status: Active}
  Secret:
    Type: AWS::SecretsManager::Secret
    Properties:
      Name: worker-key
      SecretString: !Sub "${Key}:${Key.SecretAccessKey}"
  Copy:
    Type: AWS::SSM::Parameter
    Properties: {Type: String, Value: !GetAtt Key.SecretAccessKey}
Outputs:
  Id: {Value: !Ref Key}
  Secret: {Value: !GetAtt Key.SecretAccessKey, Export: {Name: worker-secret}}
"""
IMPORTING = """
Resources:
  Copy:
    Type: AWS::SSM::Parameter
    Properties: {Type: String, Value: !ImportValue worker-secret}
"""


def test_the_secret_of_a_key_reaches_what_wants_it_and_nothing_else(installation: Installation) -> None:
    live = installation.live
    iam, secrets, parameters = (live.inside(OWN, service, REGION) for service in ("iam", "secretsmanager", "ssm"))
    template = str(installation.folder / "key.yaml")
    shown: list[str] = []
    known: list[str] = []

    def does(*words: str, code: int = 0) -> str:
        answer = live.tenuto(*words)
        shown.append(answer.out + answer.err)
        assert answer.code == code, shown[-1]
        return shown[-1]

    def key() -> str:
        """The id of the only key of the user."""
        [one] = iam.list_access_keys(UserName="worker")["AccessKeyMetadata"]
        return str(one["AccessKeyId"])

    def secret() -> str:
        told = secrets.get_secret_value(SecretId="worker-key")["SecretString"]
        one, _, text = told.partition(":")
        assert one == key()
        known.append(text)
        return text

    def copy() -> str:
        return str(parameters.get_parameter(Name=live.id("worker", "Copy"))["Parameter"]["Value"])

    installation.write("key.yaml", TEMPLATE % {"serial": 1})
    does("run", template, "-a", "worker", "--dry-run")
    does("run", template, "-a", "worker", "--wait")
    first = key()
    assert copy() == secret()
    assert len(known[0]) > 20
    assert "nothing to do" in does("plan", "worker")
    assert first in does("status", "worker", "--verbose")

    parameters.put_parameter(Name=live.id("worker", "Copy"), Value="of another hand", Overwrite=True)
    live.until(lambda: copy() == known[0], "the repair of a value that another hand wrote")
    installation.restart()
    installation.answers()
    parameters.put_parameter(Name=live.id("worker", "Copy"), Value="of another hand", Overwrite=True)
    live.until(lambda: copy() == known[0], "the repair by a Conductor that was not there when the key was made")

    iam.update_access_key(UserName="worker", AccessKeyId=first, Status="Inactive")
    live.until(
        lambda: iam.list_access_keys(UserName="worker")["AccessKeyMetadata"][0]["Status"] == "Active",
        "the repair of a key that another hand switched off",
    )

    installation.write("key.yaml", TEMPLATE % {"serial": 2})
    assert "1 replace" in does("update", "worker", template, "--dry-run")
    does("update", "worker", template, "--wait")
    assert key() != first
    assert copy() == secret()
    assert known[-1] != known[0]

    installation.write("other.yaml", IMPORTING)
    does("run", str(installation.folder / "other.yaml"), "-a", "other")
    live.until(lambda: "worker-secret" in does("explain", "other"), "the wait for an export that has no value")
    does("kill", "other", "--wait")
    for words in (("status",), ("explain",), ("history",), ("ops",), ("events", "--json")):
        does(words[0], "worker", *words[1:])
    does("status", "worker", "--json")
    does("kill", "worker", "--wait")
    assert "worker" not in [user["UserName"] for user in iam.list_users()["Users"]]

    live.stop()
    stored = b"".join(path.read_bytes() for path in installation.folder.rglob("*") if path.is_file())
    for text in known:
        assert text not in "".join(shown)
        assert text.encode() not in stored
