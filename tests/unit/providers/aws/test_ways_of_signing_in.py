"""The ways of the SDK to sign in that a Conductor cannot go by itself: each is told with the next step, none asks."""

from pathlib import Path

import pytest
from botocore.session import Session

from tenuto.errors import UnconfirmedError
from tenuto.model.account import DEFAULT_ACCOUNT, Account
from tenuto.providers.aws.client.entrance.account_session import AccountSession

CONFIGURATION = """
[profile base]
aws_access_key_id = AKIAEXAMPLE
aws_secret_access_key = abc

[profile admin]
role_arn = arn:aws:iam::123456789012:role/admin
source_profile = base
mfa_serial = arn:aws:iam::123456789012:mfa/joe

[profile by-admin]
role_arn = arn:aws:iam::123456789012:role/other
source_profile = admin

[profile in-a-circle]
role_arn = arn:aws:iam::123456789012:role/other
source_profile = around

[profile around]
role_arn = arn:aws:iam::123456789012:role/other
source_profile = in-a-circle

[profile signed-out]
sso_session = work
sso_account_id = 123456789012
sso_role_name = admin

[sso-session work]
sso_region = eu-west-1
sso_start_url = https://work.example/start
"""
BY_PROFILE = {"default": "AWS_PROFILE", "named": "--profile"}


@pytest.fixture(params=BY_PROFILE)
def way(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture(autouse=True)
def configuration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "config").write_text(CONFIGURATION)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "none"))
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")


def refusal(way: str, profile: str, monkeypatch: pytest.MonkeyPatch) -> UnconfirmedError:
    if way == "default":
        monkeypatch.setenv("AWS_PROFILE", profile)
        session = AccountSession(Session(), Account(name=DEFAULT_ACCOUNT), "eu-west-1")
    else:
        account = Account(name="production", settings={"profile": profile})
        session = AccountSession(Session(profile=profile), account, "eu-west-1")
    with pytest.raises(UnconfirmedError) as told:
        session.identify()
    return told.value


@pytest.mark.parametrize("profile", ["admin", "by-admin"])
def test_a_role_that_takes_the_code_of_a_device_is_refused_instead_of_asked_for(
    way: str, profile: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def asked(*_words: object) -> str:
        raise AssertionError("the terminal was asked")

    monkeypatch.setattr("getpass.getpass", asked)
    told = refusal(way, profile, monkeypatch)
    assert told.code == "MfaRequired"
    assert "the role of the profile admin takes the code of a device" in str(told)
    assert "then 'tenuto account check" in str(told)


def test_profiles_that_come_from_each_other_are_told(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "Infinite loop" in str(refusal(way, "in-a-circle", monkeypatch))


def test_a_sign_in_that_has_ended_is_told_with_the_command_that_renews_it(
    way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = str(refusal(way, "signed-out", monkeypatch))
    assert "aws sso login" in told
    assert "then 'tenuto account check" in told
