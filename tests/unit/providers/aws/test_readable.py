"""One thing that holds what XML cannot carry does not hide everything else on its page."""

from xml.etree import ElementTree

import pytest
from botocore.parsers import EC2QueryParser, ResponseParserError
from hypothesis import given
from hypothesis import strategies as st

from tenuto.providers.aws.client.answers.answers import careful
from tenuto.providers.aws.client.answers.readable import parsed_xml, readable

PAGE = b"<R><item><v>one</v></item><item><v>%s</v></item></R>"


def texts(page: bytes) -> list[str | None]:
    return [one.text for one in parsed_xml(ElementTree.fromstring, page).iter("v")]


@pytest.mark.parametrize(
    "damage",
    [b"\x1b[31m", b"\x00", b"&#x1b;", b"&#27;", b"&#0;", b"&#xFFFE;", b"\xef\xbf\xbf", b"&#xD800;", b"&#x110000;"],
)
def test_the_others_are_read_and_the_damage_is_shown(damage: bytes) -> None:
    one, other = texts(PAGE % damage)
    assert one == "one"
    assert other is not None
    assert "\ufffd" in other


@pytest.mark.parametrize("page", [b"<R><item>", b"", b"plain", b"<R>&nothing;</R>"])
def test_what_is_damaged_otherwise_is_refused_as_before(page: bytes) -> None:
    with pytest.raises(ElementTree.ParseError):
        parsed_xml(ElementTree.fromstring, page)


def test_the_parser_of_the_sdk_reads_it() -> None:
    parser = careful(EC2QueryParser)()
    assert parser._parse_xml_string_to_dom(PAGE % b"\x07").findall("item")
    with pytest.raises(ResponseParserError):
        parser._parse_xml_string_to_dom(b"<R>")


@given(st.text())
def test_any_text_can_be_read_once_it_is_readable(text: str) -> None:
    raw = "".join(f"&#{ord(one)};" if ord(one) % 2 else one for one in text if one not in "<&")
    ElementTree.fromstring(readable(PAGE % raw.encode("utf-8", "surrogatepass")))


@given(st.text(st.characters(exclude_categories=("Cc", "Cs"), exclude_characters="<&\ufffe\uffff")))
def test_what_can_be_read_is_left_as_it_is(text: str) -> None:
    page = PAGE % text.encode()
    assert readable(page) == page
