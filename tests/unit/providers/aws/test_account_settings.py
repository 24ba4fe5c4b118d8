"""The settings of an account of AWS: what is refused, what is kept, and what the core is told of them."""

from dataclasses import replace

import pytest

from tenuto.errors import NotFoundError, PermanentError, UserError
from tenuto.model.account import Account
from tenuto.model.ids import JsonMap
from tenuto.ports.accounts import CheckedSettings, GivenSettings
from tenuto.providers.aws.access import ByEnvironment, ByProfile, ByRole, access_of, check_settings

ACCOUNT = "111122223333"
ARN = f"arn:aws:iam::{ACCOUNT}:role/tenuto"
ROLE = Account(name="prod", provider="aws", settings={"role_arn": ARN}, secrets={"external_id": "sealed"}, source="hub")


def name_of(reference: str) -> str:
    if reference not in ("default", "hub"):
        raise NotFoundError(f"no account {reference}")
    return reference


def check(given: JsonMap, before: Account | None = None, region: str | None = None) -> CheckedSettings:
    return check_settings(GivenSettings(given=given, before=before, region=region, name_of=name_of))


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"profile": ""}, "cannot be the name of a profile"),
        ({"profile": "a]b"}, "cannot be the name of a profile"),
        ({"profile": "a\nb"}, "cannot be the name of a profile"),
        ({"profile": 7}, "must be a text"),
        ({"role_arn": "tenuto"}, "is no role"),
        ({"role_arn": "arn:aws:iam::1:role/tenuto"}, "is no role"),
        ({"role_arn": f"arn:aws:iam::{ACCOUNT}:user/tenuto"}, "is no role"),
        ({"role_arn": ARN, "profile": "p"}, "one of the two"),
        ({"role_arn": ARN, "source": "nowhere"}, "no account nowhere"),
        ({"external_id": "x-1"}, "belong to a role"),
        ({"profil": "p"}, "Did you mean profile"),
        ({"colour": "red"}, "It knows external_id, profile, role_arn, source"),
    ],
)
def test_settings_that_make_no_sense_are_refused_with_the_reason(given: JsonMap, words: str) -> None:
    with pytest.raises((UserError, NotFoundError), match=words):
        check(given)


def test_an_external_id_that_is_refused_is_not_repeated() -> None:
    with pytest.raises(UserError) as refused:
        check({"role_arn": ARN, "external_id": "no spaces"})
    assert "no spaces" not in str(refused.value)


def test_a_role_says_which_account_it_is_and_whom_it_needs() -> None:
    checked = check({"role_arn": ARN, "external_id": "a/b:c@d-1"})
    assert checked == CheckedSettings(
        settings={"role_arn": ARN},
        secrets={"external_id": "a/b:c@d-1"},
        description=f"the role {ARN}, assumed from default, with an external id",
        source="default",
        account_id=ACCOUNT,
    )
    government = f"arn:aws-us-gov:iam::{ACCOUNT}:role/a/b"
    assert check({"role_arn": government}).settings == {"role_arn": government}


def test_what_is_not_given_stays() -> None:
    kept = check({}, ROLE)
    assert (kept.settings, kept.secrets, kept.source) == (ROLE.settings, {"external_id": None}, "hub")
    assert check({"source": "default"}, ROLE).secrets == {"external_id": None}
    assert check({"external_id": ""}, ROLE).secrets == {}
    assert check({"role_arn": f"{ARN}-2"}, ROLE).source == "hub"
    moved = check({"profile": "p"}, ROLE)
    assert (moved.settings, moved.secrets, moved.source) == ({"profile": "p"}, {}, None)


def test_a_role_and_its_region_are_in_one_partition() -> None:
    with pytest.raises(UserError, match="in the partition aws of AWS, and the region cn-north-1 is in aws-cn"):
        check({"role_arn": ARN}, region="cn-north-1")
    with pytest.raises(UserError, match="no account is in both"):
        check({}, ROLE, region="us-gov-west-1")
    check({"profile": "p"}, region="cn-north-1")


def test_a_stored_account_is_entered_as_its_settings_say() -> None:
    assert access_of(ROLE) == ByRole(role_arn=ARN, source="hub", has_external_id=True)
    assert access_of(replace(ROLE, settings={"profile": "p"}, secrets={})) == ByProfile(profile="p")
    assert access_of(Account(name="default")) == ByEnvironment()
    with pytest.raises(PermanentError, match="one of the provider toy"):
        access_of(Account(name="rack", provider="toy"))
