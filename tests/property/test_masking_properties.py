"""Masks over any secret in any encoding."""

import base64
import html
import json
import re
from collections.abc import Callable
from urllib.parse import quote, quote_plus
from xml.sax.saxutils import escape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenuto.core.access.masking import MASK, SHORTEST_BEGINNING, Masker

TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="*"), max_size=40)
SECRETS = st.text(st.characters(codec="utf-8", exclude_characters="*"), min_size=4, max_size=40).filter(str.strip)
PLAIN = st.text(st.characters(min_codepoint=0x21, max_codepoint=0x7E, exclude_characters="*."), min_size=8, max_size=40)

ENCODINGS: dict[str, Callable[[str], str]] = {
    "plain": str,
    "URL": quote,
    "URL, every character": lambda text: quote(text, safe=""),
    "URL, small digits": lambda text: re.sub("%..", lambda found: found[0].lower(), quote(text, safe="")),
    "form": quote_plus,
    "JSON": lambda text: json.dumps(text)[1:-1],
    "JSON in UTF-8": lambda text: json.dumps(text, ensure_ascii=False)[1:-1],
    "JSON in JSON": lambda text: json.dumps(json.dumps(text)[1:-1])[1:-1],
    "hexadecimal": lambda text: text.encode().hex(),
    "large hexadecimal": lambda text: text.encode().hex().upper(),
    "base64": lambda text: base64.b64encode(text.encode()).decode(),
    "base64 for URLs": lambda text: base64.urlsafe_b64encode(text.encode()).decode(),
    "XML": escape,
    "XML attribute": lambda text: escape(text, {'"': "&quot;", "'": "&apos;"}),
    "HTML": html.escape,
    "repr": lambda text: repr(text)[1:-1],
    "repr of bytes": lambda text: repr(text.encode())[2:-1],
}


@pytest.mark.parametrize("encoding", ENCODINGS)
@given(before=TEXTS, secret=SECRETS, after=TEXTS)
def test_no_encoding_of_a_secret_is_left_in_a_masked_text(encoding: str, before: str, secret: str, after: str) -> None:
    written = ENCODINGS[encoding](secret)
    masked = Masker([secret]).mask(f"{before}{written}{after}")
    assert MASK in masked
    assert secret not in masked
    assert written not in masked


@given(before=st.binary(max_size=8), secret=SECRETS, after=st.binary(max_size=8), is_for_urls=st.booleans())
def test_a_secret_is_masked_wherever_it_begins_in_an_encoded_text(
    before: bytes, secret: str, after: bytes, is_for_urls: bool
) -> None:
    encode = base64.urlsafe_b64encode if is_for_urls else base64.b64encode
    text = encode(before + secret.encode() + after).decode()
    first, last = -(-8 * len(before) // 6), 8 * (len(before) + len(secret.encode())) // 6
    masked = Masker([secret]).mask(f"user data {text} is malformed")
    assert MASK in masked
    assert text[first:last] not in masked


@given(secret=PLAIN, length=st.integers(min_value=SHORTEST_BEGINNING), ending=st.sampled_from(["", "…", "... (cut)"]))
def test_the_beginning_of_a_secret_at_a_cut_is_masked(secret: str, length: int, ending: str) -> None:
    beginning = secret[: min(length, len(secret))]
    assert Masker([secret]).mask(f"Value ({beginning}{ending}") == f"Value ({MASK}{ending}"


@given(
    text=st.text("abcdefghij .,:()", max_size=200),
    secrets=st.lists(st.text("KLMNOPQRSTUVWXYZ_", min_size=4, max_size=30), max_size=4),
)
def test_a_text_without_a_secret_is_unchanged(text: str, secrets: list[str]) -> None:
    assert Masker(secrets).mask(text) == text


@given(before=TEXTS, secrets=st.lists(SECRETS, min_size=2, max_size=4), after=TEXTS)
def test_of_several_secrets_none_is_left(before: str, secrets: list[str], after: str) -> None:
    masked = Masker(secrets).mask(f"{before}{' '.join(secrets)}{after}{''.join(secrets)}")
    assert [secret for secret in secrets if secret in masked] == []
