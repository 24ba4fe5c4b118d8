"""What may be said of accounts."""

import pytest

from tenuto.core.access import accounts
from tenuto.errors import NotFoundError, PermanentError, UserError
from tenuto.model.account import Access, Account, ByEnvironment, ByProfile, ByRole

ONE, OTHER = "111111111111", "222222222222"
ROLE = ByRole(role_arn=f"arn:aws:iam::{OTHER}:role/tenuto")


def an_account(name: str = "prod", access: Access | None = None, account_id: str | None = None) -> Account:
    return Account(name=name, access=access or ByProfile(profile="p"), account_id=account_id)


def known(*given: Account) -> dict[str, Account]:
    return accounts.with_default(given)


def test_the_default_account_is_always_there_and_first() -> None:
    assert list(known()) == ["default"]
    assert list(known(an_account("b"), an_account("a"))) == ["default", "a", "b"]
    own = Account(name="default", access=ByEnvironment(), account_id=ONE)
    assert known(own)["default"] is own


def test_an_account_is_found_by_name_and_by_an_id_that_is_known() -> None:
    prod = an_account(account_id=ONE)
    assert accounts.find_account("prod", known(prod)) is prod
    assert accounts.find_account(ONE, known(prod)) is prod


def test_an_unknown_account_is_refused_with_all_that_are_known() -> None:
    with pytest.raises(NotFoundError, match=rf"'x'. There are: default, prod \({ONE}\). 'tenuto account add'") as told:
        accounts.find_account("x", known(an_account(account_id=ONE)))
    assert "never used" not in str(told.value)
    with pytest.raises(NotFoundError, match="never used"):
        accounts.find_account(OTHER, known(an_account(account_id=ONE)))


@pytest.mark.parametrize("name", ["default", "", "1a", "a b", "a/b", ONE, "a" * 64])
def test_a_name_that_cannot_be_one_is_refused(name: str) -> None:
    with pytest.raises(UserError):
        accounts.check_new(an_account(name), known())


@pytest.mark.parametrize(
    "access",
    [
        ByProfile(profile=""),
        ByProfile(profile="a]b"),
        ByProfile(profile="a\nb"),
        ByRole(role_arn="tenuto"),
        ByRole(role_arn="arn:aws:iam::1:role/tenuto"),
        ByRole(role_arn=f"arn:aws:iam::{ONE}:user/tenuto"),
    ],
)
def test_a_way_that_is_not_well_formed_is_refused(access: Access) -> None:
    with pytest.raises(UserError):
        accounts.check_new(an_account(access=access), known())


def test_a_role_of_another_partition_of_aws_is_a_role() -> None:
    accounts.check_new(an_account(access=ByRole(role_arn=f"arn:aws-us-gov:iam::{ONE}:role/a/b")), known())


def test_a_role_cannot_be_assumed_through_itself() -> None:
    first = an_account("first", ByRole(role_arn=ROLE.role_arn, source="second"))
    second = an_account("second", ByRole(role_arn=ROLE.role_arn, source="third"))
    third = an_account("third", ByRole(role_arn=ROLE.role_arn, source="first"))
    with pytest.raises(UserError, match="third from first from second from third"):
        accounts.check_access(third.name, third.access, known(first, second, third))
    with pytest.raises(NotFoundError, match="'third'"):
        accounts.check_access(second.name, second.access, known(first, second))


def test_an_external_id_that_is_refused_is_not_repeated() -> None:
    with pytest.raises(UserError) as refused:
        accounts.check_external_id("no spaces")
    assert "no spaces" not in str(refused.value)
    accounts.check_external_id("a/b:c@d-1")


def test_the_first_id_is_kept_and_the_same_again_is_no_change() -> None:
    learnt = accounts.confirmed(an_account(), ONE, ())
    assert learnt.account_id == ONE
    assert accounts.confirmed(learnt, ONE, (learnt,)) == learnt


def test_another_id_than_before_is_refused() -> None:
    with pytest.raises(PermanentError, match=f"is {ONE}, and its credentials now lead to {OTHER}") as refused:
        accounts.confirmed(an_account(account_id=ONE), OTHER, ())
    assert refused.value.code == "WrongAccount"


def test_a_role_leads_where_its_arn_says_from_the_first_time_on() -> None:
    assert accounts.confirmed(an_account(access=ROLE), OTHER, ()).account_id == OTHER
    with pytest.raises(PermanentError, match=OTHER):
        accounts.confirmed(an_account(access=ROLE), ONE, ())


def test_two_names_never_lead_to_one_id() -> None:
    with pytest.raises(PermanentError, match="which is prod already"):
        accounts.confirmed(an_account("duplicate"), ONE, (an_account(account_id=ONE),))


def test_what_is_no_account_id_is_refused() -> None:
    with pytest.raises(PermanentError, match="no account id"):
        accounts.confirmed(an_account(), "someone", ())
