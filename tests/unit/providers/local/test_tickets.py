"""Tickets between hosts: good for one blob, from one host, to one host, for some minutes, and for nothing else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenuto.providers.local.rules.tickets import WINDOW_S, target_of, ticket

KEY, BLOB, NOW = "k" * 64, "a" * 128, 1_800_000_123.0


def good(text: str, **changes: object) -> str:
    facts = {"secret_digest": KEY, "sha512": BLOB, "source": "h1", "now": NOW, **changes}
    return target_of(text, **facts)  # type: ignore[arg-type]


MADE = ticket(KEY, sha512=BLOB, source="h1", target="h2", now=NOW)


def test_a_ticket_lets_its_blob_go_to_its_host() -> None:
    assert good(MADE) == "h2"


@pytest.mark.parametrize(
    "changes", [{"secret_digest": "x" * 64}, {"sha512": "b" * 128}, {"source": "h3"}], ids=["key", "blob", "source"]
)
def test_a_ticket_opens_nothing_else(changes: dict[str, object]) -> None:
    assert good(MADE, **changes) == ""


def test_a_ticket_cannot_be_made_out_to_another_host_or_for_longer() -> None:
    target, ends_at, mark = MADE.split(":")
    assert good(f"h3:{ends_at}:{mark}") == ""
    assert good(f"{target}:{int(ends_at) + WINDOW_S}:{mark}") == ""


@given(st.floats(min_value=0, max_value=4 * WINDOW_S))
def test_a_ticket_ends_within_two_windows(later: float) -> None:
    ends_at = int(MADE.split(":")[1])
    assert good(MADE, now=NOW + later) == ("h2" if NOW + later < ends_at else "")
    assert WINDOW_S <= ends_at - NOW <= 2 * WINDOW_S


@given(st.text(max_size=400))
def test_any_other_text_is_no_ticket(text: str) -> None:
    assert good(text) == ""


def test_tickets_of_a_window_are_equal_so_an_order_stays_the_same() -> None:
    begin = NOW // WINDOW_S * WINDOW_S
    made = {ticket(KEY, sha512=BLOB, source="h1", target="h2", now=begin + later) for later in (0, 1, WINDOW_S - 1)}
    assert len(made) == 1
    assert ticket(KEY, sha512=BLOB, source="h1", target="h2", now=begin + WINDOW_S) not in made
