"""The rule when credentials are asked whose they are."""

from tenuto.core.access.identity import CHANGE_S, is_confirmed, to_change, to_read
from tenuto.model.account import Confirmation
from tenuto.model.ids import Instant

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
