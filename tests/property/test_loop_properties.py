"""A template with loops is the template that somebody wrote out by hand."""

import json

from hypothesis import given
from hypothesis import strategies as st

from tenuto.compositions.checks.schema import TypeSchema
from tenuto.compositions.compile import compile_text
from tenuto.model.ids import Json, TypeName


class _AnyType:
    """Schemas by which each type may hold anything."""

    def find(self, name: str) -> TypeSchema:
        return TypeSchema(name=TypeName(name))

    def names(self) -> tuple[str, ...]:
        return ()

    def is_elsewhere(self, name: str) -> bool:
        return False


def _letters(item: str) -> str:
    return "".join(sign for sign in item if sign.isalnum())


names = st.text(alphabet="abcXYZ019", min_size=1, max_size=3)
items = st.lists(st.text(alphabet="ab1-./", min_size=1, max_size=4), max_size=4, unique_by=_letters)
settings = st.dictionaries(st.sampled_from(["One", "Two", "Three"]), st.sampled_from(["x", "y-z", ""]), max_size=3)


def _digest(template: Json) -> str:
    template = {**template, "Transform": "AWS::LanguageExtensions"}
    text = json.dumps(template)
    made = compile_text(text, file="web.json", parameters={}, region="eu-west-1", schemas=_AnyType())
    return made.composition.digest


def _thing(properties: Json) -> Json:
    return {"Type": "Simulated::Thing", "Properties": properties}


@given(names, names, items, items, st.lists(names, max_size=3, unique=True))
def test_loops_are_what_is_written_out(
    first: str, second: str, outer: list[str], inner: list[str], keys: list[str]
) -> None:
    second = second if second != first else f"{second}q"
    third = f"{first}{second}k"
    body = {
        "Name": f"<${{{first}}}|&{{{second}}}>",
        "Plain": [{"Ref": first}, {"Ref": second}, f"${{!{first}}}"],
        "Sub": {"Fn::Sub": f"${{{second}}}-${{AWS::Region}}"},
        "Fn::ForEach::Keys": [third, keys, {f"k${{{third}}}": f"${{{third}}}${{{first}}}"}],
        "Peer": {"Fn::GetAtt": ["Fixed", f"A&{{{second}}}"]},
    }
    looped = {
        "Fixed": _thing({}),
        "Fn::ForEach::Outer": [
            first,
            outer,
            {
                f"O&{{{first}}}": _thing({"Is": f"${{{first}}}"}),
                "Fn::ForEach::Inner": [second, inner, {f"I&{{{first}}}x&{{{second}}}": _thing(body)}],
            },
        ],
    }
    written: dict[str, Json] = {"Fixed": _thing({})}
    for one in outer:
        written[f"O{_letters(one)}"] = _thing({"Is": one})
        for other in inner:
            written[f"I{_letters(one)}x{_letters(other)}"] = _thing(
                {
                    "Name": f"<{one}|{_letters(other)}>",
                    "Plain": [one, other, f"${{!{first}}}"],
                    "Sub": {"Fn::Sub": f"{other}-${{AWS::Region}}"},
                    **{f"k{key}": f"{key}{one}" for key in keys},
                    "Peer": {"Fn::GetAtt": ["Fixed", f"A{_letters(other)}"]},
                }
            )
    assert _digest({"Resources": looped}) == _digest({"Resources": written})


@given(settings)
def test_a_list_from_a_mapping_is_the_list(found: dict[str, str]) -> None:
    looped = {
        "Mappings": {
            "Sets": {"all": {"keys": sorted(found)}, **{key: {"value": value} for key, value in found.items()}}
        },
        "Resources": {
            "Fixed": _thing({}),
            "Fn::ForEach::Keys": [
                "Key",
                {"Fn::FindInMap": ["Sets", "all", "keys"]},
                {"Made${Key}": _thing({"Value": {"Fn::FindInMap": ["Sets", {"Ref": "Key"}, "value"]}})},
            ],
        },
    }
    written = {"Fixed": _thing({}), **{f"Made{key}": _thing({"Value": value}) for key, value in found.items()}}
    assert _digest(looped) == _digest({"Resources": written})
