"""A list that is read in items says what botocore's own parser says."""

import json
from types import SimpleNamespace
from typing import Any
from urllib.parse import quote
from xml.sax.saxutils import escape

import pytest
from botocore.handlers import json_decode_policies
from botocore.parsers import EC2QueryParser, QueryParser, ResponseParserError, RestXMLParser
from botocore.session import Session
from hypothesis import given
from hypothesis import strategies as st

from tenuto.providers.aws.client.answers.item_parser import (
    GENERATION_S,
    ItemParser,
    ItemParsers,
    KnownItems,
    MemberParser,
    decode_others,
)

SHAPE = Session().get_service_model("ec2").operation_model("DescribeVpcs").output_shape
texts = st.text(st.characters(min_codepoint=32, max_codepoint=0x2FF), max_size=8) | st.sampled_from(
    ["<item>", "</item></vpcSet>", "<![CDATA[", "a&b", " "]
)
tag_maps = st.dictionaries(texts.filter(str.strip), texts, max_size=3)


def vpc(number: int, tags: dict[str, str]) -> str:
    members = "".join(
        f"<item><key>{escape(key)}</key><value>{escape(value)}</value></item>" for key, value in tags.items()
    )
    return (
        f"<item><vpcId>vpc-{number}</vpcId><cidrBlock>10.{number}.0.0/16</cidrBlock><isDefault>false</isDefault>"
        f"<tagSet>{members}</tagSet></item>"
    )


def answer(*vpcs: str, request: str = "r-1", between: str = "", more: str = "") -> dict[str, Any]:
    items = between.join(vpcs)
    body = (
        '<?xml version="1.0" encoding="UTF-8"?><DescribeVpcsResponse xmlns="http://ec2.amazonaws.com/doc/2016-11-15/">'
        f"<requestId>{request}</requestId><vpcSet>{between}{items}{between}</vpcSet>{more}</DescribeVpcsResponse>"
    )
    return {"body": body.encode(), "headers": {}, "status_code": 200}


def parser() -> ItemParser:
    return ItemParser(KnownItems())


@given(
    st.lists(st.lists(st.tuples(st.integers(0, 4), tag_maps), max_size=5), max_size=4), st.sampled_from(["", "\n  "])
)
def test_every_answer_reads_like_without_memory(pages: list[list[tuple[int, dict[str, str]]]], between: str) -> None:
    remembering = parser()
    for turn, page in enumerate(pages):
        response = answer(*(vpc(number, tags) for number, tags in page), request=f"r-{turn}", between=between)
        assert remembering.parse(response, SHAPE) == EC2QueryParser().parse(response, SHAPE)


def test_what_did_not_change_is_the_very_same_value_in_whatever_order_and_answer() -> None:
    remembering = parser()
    first = remembering.parse(answer(vpc(1, {}), vpc(2, {"a": "b"})), SHAPE)["Vpcs"]
    again = remembering.parse(answer(vpc(2, {"a": "b"}), vpc(1, {"new": ""}), request="r-2"), SHAPE)
    assert again["Vpcs"][0] is first[1]
    assert again["Vpcs"][1]["Tags"] == [{"Key": "new", "Value": ""}]
    assert again["ResponseMetadata"]["RequestId"] == "r-2"


def test_the_token_of_the_next_page_is_of_this_answer() -> None:
    remembering = parser()
    told = [
        remembering.parse(answer(vpc(1, {}), more=f"<nextToken>{token}</nextToken>"), SHAPE).get("NextToken")
        for token in ("one", "two")
    ]
    assert told == ["one", "two"]


@pytest.mark.parametrize(
    "change",
    [("<vpcSet>", "<vpcSet/><vpcSet>"), ("<item>", '<item note="x">'), ("<item>", "<!-- <item> --><item>")],
)
def test_an_answer_of_an_unusual_shape_is_read_as_ever(change: tuple[str, str]) -> None:
    response = answer(vpc(1, {}), vpc(2, {"a": "b"}))
    response["body"] = response["body"].replace(change[0].encode(), change[1].encode(), 1)
    assert parser().parse(response, SHAPE) == EC2QueryParser().parse(response, SHAPE)


@pytest.mark.parametrize("length", [80, 200, 300, 420])
def test_a_truncated_answer_is_refused(length: int) -> None:
    remembering = parser()
    response = answer(vpc(1, {}), vpc(2, {"a": "b"}))
    remembering.parse(response, SHAPE)
    with pytest.raises(ResponseParserError):
        remembering.parse({**response, "body": response["body"][:length]}, SHAPE)


def test_an_error_is_an_error() -> None:
    body = b"<Response><Errors><Error><Code>Throttling</Code><Message>slow</Message></Error></Errors></Response>"
    response = {"body": body, "headers": {}, "status_code": 400}
    assert parser().parse(response, SHAPE)["Error"]["Code"] == "Throttling"


def test_what_is_not_used_for_two_generations_is_forgotten_and_what_is_used_stays() -> None:
    time = [0.0]
    known = KnownItems(now=lambda: time[0])
    used, unused = ("Shape", b"1"), ("Shape", b"2")
    known.add({used: "a", unused: "b"})
    for number in range(4):
        time[0] += GENERATION_S
        assert known.get([used]) == {used: "a"}
        known.add({("Shape", bytes([10 + number])): "c"})
    assert known.get([used, unused]) == {used: "a"}


def test_a_generation_holds_so_many_and_no_more_than_two_are_kept() -> None:
    known = KnownItems(most=2)
    keys = [("Shape", bytes([number])) for number in range(6)]
    for key in keys:
        known.add({key: "a"})
    assert known.get(keys).keys() == set(keys[2:])


def test_other_protocols_have_the_parsers_that_they_had() -> None:
    assert isinstance(ItemParsers().create_parser("rest-xml"), RestXMLParser)


DETAILS = Session().get_service_model("iam").operation_model("GetAccountAuthorizationDetails").output_shape
DOCUMENT = quote(json.dumps({"Version": "2012-10-17", "Statement": []}))


def policy(name: str, count: int = 0, document: str = DOCUMENT) -> str:
    version = f"<member><Document>{document}</Document><VersionId>v1</VersionId></member>"
    return (
        f"<member><PolicyName>{name}</PolicyName><AttachmentCount>{count}</AttachmentCount>"
        f"<PolicyVersionList>{version}</PolicyVersionList></member>"
    )


def details(*policies: str, roles: str = "", marker: str = "") -> dict[str, Any]:
    body = (
        '<GetAccountAuthorizationDetailsResponse xmlns="https://iam.amazonaws.com/doc/2010-05-08/">'
        f"<GetAccountAuthorizationDetailsResult><RoleDetailList>{roles}</RoleDetailList><UserDetailList/>"
        f"<Policies>{''.join(policies)}</Policies>{marker}</GetAccountAuthorizationDetailsResult>"
        "<ResponseMetadata><RequestId>r-1</RequestId></ResponseMetadata></GetAccountAuthorizationDetailsResponse>"
    )
    return {"body": body.encode(), "headers": {}, "status_code": 200}


def plainly(response: dict[str, Any]) -> Any:
    """The answer as the SDK gives it to its callers."""
    parsed = QueryParser().parse(response, DETAILS)
    json_decode_policies(parsed, SimpleNamespace(output_shape=DETAILS))
    return parsed


@pytest.mark.parametrize(
    "response",
    [
        details(policy("one"), policy("two", 3), marker="<Marker>m</Marker>"),
        details(),
        details(policy("one"), roles="<member><RoleName>r</RoleName></member>"),
        details(policy("one"), "<!-- none -->", policy("two")),
        details(policy("one", document="no%20document")),
    ],
    ids=["two members", "none", "two lists", "a comment", "a text that is no document"],
)
def test_every_list_of_iam_reads_like_without_memory_however_often(response: dict[str, Any]) -> None:
    remembering = MemberParser(KnownItems())
    for _ in range(3):
        parsed = remembering.parse(response, DETAILS)
        decode_others(parsed, SimpleNamespace(output_shape=DETAILS))  # type: ignore[arg-type]
        assert parsed == plainly(response)


def test_a_policy_that_did_not_change_is_the_very_same_value_with_its_document() -> None:
    remembering = MemberParser(KnownItems())
    [first, _] = remembering.parse(details(policy("one"), policy("two")), DETAILS)["Policies"]
    [changed, again] = remembering.parse(details(policy("two", 1), policy("one")), DETAILS)["Policies"]
    assert again is first
    assert changed["AttachmentCount"] == 1
    assert again["PolicyVersionList"][0]["Document"] == {"Version": "2012-10-17", "Statement": []}


def test_documents_of_other_answers_of_iam_are_put_in_place_of_their_texts() -> None:
    shape = Session().get_service_model("iam").operation_model("GetRolePolicy").output_shape
    parsed = {"RoleName": "r", "PolicyName": "p", "PolicyDocument": DOCUMENT}
    decode_others(parsed, SimpleNamespace(output_shape=shape))  # type: ignore[arg-type]
    assert parsed["PolicyDocument"] == {"Version": "2012-10-17", "Statement": []}
