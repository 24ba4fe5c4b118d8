"""The form of an open value rules out texts that it never becomes, and no other."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenuto.compositions.cloudformation.functions.possible_texts import can_become
from tenuto.core.language.resolve import Environment, resolve
from tenuto.model.ids import Json

ID, ARN, OTHER = {"Ref": "Net"}, {"Fn::GetAtt": ["Role", "Arn"]}, {"Fn::GetAtt": ["Machine", "PublicIp"]}
OPEN = {"Ref": "Given"}


@pytest.mark.parametrize(
    ("value", "text", "answer"),
    [
        (ID, "", False),
        (ID, "none", True),
        (ARN, "", False),
        (OTHER, "", True),
        (OPEN, "", True),
        ({"Fn::Join": ["", ["arn:aws:s3:::", ID]]}, "", False),
        ({"Fn::Join": ["", ["arn:aws:s3:::", ID]]}, "arn:aws:s3:::", False),
        ({"Fn::Join": ["", ["arn:aws:s3:::", ID]]}, "arn:aws:s3:::a", True),
        ({"Fn::Join": ["", ["arn:aws:s3:::", OTHER]]}, "arn:aws:s3:::", True),
        ({"Fn::Join": ["-", [OTHER, OTHER]]}, "", False),
        ({"Fn::Join": ["", [OTHER, OTHER]]}, "", True),
        ({"Fn::Join": ["-", [OTHER, "ab", OTHER]]}, "-ab-", True),
        ({"Fn::Join": ["-", [ID, "ab", OTHER]]}, "-ab-", False),
        ({"Fn::Join": ["-", [ID, "ab"]]}, "ab-ab-ab", True),
        ({"Fn::Join": ["", ["ab", ID, "b"]]}, "abb", False),
        ({"Fn::Join": ["", {"Fn::Split": [",", {"Fn::Join": [",", [ID, ARN]]}]}]}, "", False),
        ({"Fn::Join": ["", {"Fn::Split": [",", OPEN]}]}, "", True),
        ({"Fn::Select": ["0", {"Fn::Split": [",", {"Fn::Join": [",", [ID, ARN]]}]}]}, "", False),
        ({"Fn::Select": [1, {"Fn::Split": [",", {"Fn::Join": [",", [ID, "x"]]}]}]}, "y", False),
        ({"Fn::Select": [1, {"Fn::Split": ["-", ID]}]}, "", True),
        ({"Fn::Select": [2, {"Fn::Split": [",", ID]}]}, "", True),
        ({"Fn::Base64": ID}, "", True),
        ({"Tenuto::Secret": "s"}, "", True),
    ],
)
def test_a_text_that_the_form_rules_out_is_impossible(value: Json, text: str, answer: bool) -> None:
    assert can_become(value, text, {"Given"}) is answer


IDS = st.text("ab-", min_size=1, max_size=3)
ANY = st.text("ab-,", max_size=3)
LEAVES = st.one_of(
    st.text("ab,-", max_size=3), st.sampled_from([ID, ARN, OTHER, OPEN]), st.just({"Fn::Base64": {"Ref": "Net"}})
)
DELIMITERS = st.sampled_from(["", ",", "-", "ab"])


def lists(values: st.SearchStrategy[Json]) -> st.SearchStrategy[Json]:
    split = st.builds(lambda delimiter, whole: {"Fn::Split": [delimiter or ",", whole]}, DELIMITERS, values)
    return st.one_of(st.lists(values, min_size=1, max_size=3), split)


VALUES = st.recursive(
    LEAVES,
    lambda values: st.one_of(
        st.builds(lambda delimiter, items: {"Fn::Join": [delimiter, items]}, DELIMITERS, lists(values)),
        st.builds(lambda items: {"Fn::Select": [0, items]}, lists(values)),
    ),
    max_leaves=6,
)


@given(value=VALUES, net=IDS, role=IDS, ip=ANY, passed=ANY)
def test_what_a_value_becomes_was_never_called_impossible(
    value: Json, net: str, role: str, ip: str, passed: str
) -> None:
    known = Environment(
        references={"Net": net, "Given": passed}, attributes={("Role", "Arn"): role, ("Machine", "PublicIp"): ip}
    )
    text = resolve(value, known)
    assert isinstance(text, str)
    folded = resolve(value, Environment())
    assert can_become(folded, text, {"Given"})
    assert can_become(value, text, {"Given"})
