"""The rules for the settings of accounts.

The rule when credentials are asked whose they are.
"""

import pytest

from tenuto.core.access import accounts
from tenuto.core.access.accounts import CHANGE_S, is_confirmed, to_change, to_read
from tenuto.errors import NotFoundError, PermanentError, UserError
from tenuto.model.account import Account, Confirmation
from tenuto.model.ids import Instant, JsonMap

ONE, OTHER = "111111111111", "222222222222"


def an_account(
    name: str = "prod", *, account_id: str | None = None, source: str | None = None, claimed_id: str | None = None
) -> Account:
    return Account(name=name, account_id=account_id, source=source, claimed_id=claimed_id)


def known(*given: Account) -> dict[str, Account]:
    return accounts.with_default(given)


def test_the_default_account_is_always_there_and_first() -> None:
    assert list(known()) == ["default"]
    assert list(known(an_account("b"), an_account("a"))) == ["default", "a", "b"]
    own = Account(name="default", account_id=ONE)
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


def test_an_account_cannot_be_entered_through_itself() -> None:
    first = an_account("first", source="second")
    second = an_account("second", source="third")
    third = an_account("third", source="first")
    with pytest.raises(UserError, match="third from first from second from third"):
        accounts.check_new(third, known(first, second, third))
    with pytest.raises(NotFoundError, match="'third'"):
        accounts.check_new(second, known(first, second))


@pytest.mark.parametrize(
    "settings", [{"": "x"}, {"Role": "x"}, {"role": None}, {"role": 1.5}, {"role": {}}, {"role": "x" * 20_000}]
)
def test_settings_that_are_not_small_and_plain_are_refused(settings: JsonMap) -> None:
    with pytest.raises(UserError):
        accounts.check_settings(settings)


def test_small_plain_settings_are_taken() -> None:
    accounts.check_settings({"role_arn": "x", "port": 8443, "is_strict": True, "empty": ""})


def test_the_first_id_is_kept_and_the_same_again_is_no_change() -> None:
    learnt = accounts.confirmed(an_account(), ONE, ())
    assert learnt.account_id == ONE
    assert accounts.confirmed(learnt, ONE, (learnt,)) == learnt


def test_another_id_than_before_is_refused() -> None:
    with pytest.raises(PermanentError, match=f"is {ONE}, and its credentials now lead to {OTHER}") as refused:
        accounts.confirmed(an_account(account_id=ONE), OTHER, ())
    assert refused.value.code == "WrongAccount"


def test_an_account_leads_where_its_settings_say_from_the_first_time_on() -> None:
    claimed = an_account(claimed_id=OTHER)
    assert accounts.confirmed(claimed, OTHER, ()).account_id == OTHER
    with pytest.raises(PermanentError, match=OTHER):
        accounts.confirmed(claimed, ONE, ())


def test_two_names_never_lead_to_one_id() -> None:
    with pytest.raises(PermanentError, match="which is prod already"):
        accounts.confirmed(an_account("duplicate"), ONE, (an_account(account_id=ONE),))


def test_what_is_no_account_id_is_refused() -> None:
    with pytest.raises(PermanentError, match="no account id"):
        accounts.confirmed(an_account(), "some one", ())


KNOWN = Confirmation(account_id="111111111111", fingerprint="key-1", at=Instant(1000.0))
NOW = Instant(1020.0)


def test_credentials_that_nobody_asked_about_are_not_confirmed() -> None:
    assert not is_confirmed(None, "key-1", Instant(0.0))


def test_renewed_credentials_are_not_confirmed_by_the_answer_about_the_ones_before() -> None:
    assert is_confirmed(KNOWN, "key-1", Instant(0.0))
    assert not is_confirmed(KNOWN, "key-2", Instant(0.0))


def test_an_answer_confirms_only_what_began_before_it_was_asked_for() -> None:
    assert is_confirmed(KNOWN, "key-1", Instant(1000.0))
    assert not is_confirmed(KNOWN, "key-1", Instant(1000.1))


def test_a_change_needs_a_younger_answer_than_a_read() -> None:
    assert to_read(NOW, 300.0) == NOW - 300.0
    assert to_change(NOW, 300.0) == NOW - CHANGE_S


def test_a_short_interval_counts_for_changes_too() -> None:
    assert to_change(NOW, 5.0) == NOW - 5.0
