"""A wait condition comes after the resources that may signal to it."""

import json
from collections.abc import Mapping
from typing import Any

import pytest

from tenuto.compositions.compile import compile_text

HANDLE = {"Type": "AWS::CloudFormation::WaitConditionHandle"}
SECRET = "AWS::SecretsManager::Secret"


def waits(handle: str, *after: str) -> dict[str, Any]:
    properties = {"Handle": {"Ref": handle}, "Timeout": 60}
    return {"Type": "AWS::CloudFormation::WaitCondition", "DependsOn": list(after), "Properties": properties}


def holds(*names: str, after: tuple[str, ...] = ()) -> dict[str, Any]:
    text = {"Fn::Join": ["", [{"Ref": name} for name in names]]}
    return {"Type": SECRET, "DependsOn": list(after), "Properties": {"SecretString": text}}


def needed(resources: Mapping[str, Any], name: str) -> tuple[str, ...]:
    text = json.dumps({"Resources": resources})
    compiled = compile_text(text, file="x.json", parameters={}, region="us-east-1").composition
    return next(one for one in compiled.resources if one.logical_id == name).depends_on


def test_a_condition_comes_after_a_holder_of_its_address_of_whose_type_another_comes_after_it() -> None:
    resources = {"H": HANDLE, "First": holds("H"), "W": waits("H"), "Second": holds("H", after=("W",))}
    assert needed(resources, "W") == ("First", "H")
    assert needed(resources, "First") == ("H",)
    assert needed(resources, "Second") == ("H", "W")


def test_a_holder_is_one_that_depends_on_a_holder_too() -> None:
    queue = {"Type": "AWS::SQS::Queue", "DependsOn": ["First"]}
    resources = {
        "H": HANDLE,
        "First": holds("H"),
        "W": waits("H"),
        "Queue": queue,
        "Other": {"Type": "AWS::SQS::Queue"},
    }
    assert needed(resources, "W") == ("First", "H", "Queue")


def test_conditions_of_one_handle_do_not_come_after_each_others_followers() -> None:
    resources = {"H": HANDLE, "First": holds("H"), "V": waits("H"), "W": waits("H")}
    resources |= {"AfterV": holds("H", after=("V",)), "AfterW": holds("H", after=("W",))}
    assert needed(resources, "V") == needed(resources, "W") == ("First", "H")


def test_a_chain_of_conditions_comes_after_the_holders_of_each() -> None:
    resources = {"G": HANDLE, "H": HANDLE, "A": holds("G"), "V": waits("G"), "B": holds("H", after=("V",))}
    resources |= {"W": waits("H"), "C": {"Type": SECRET, "DependsOn": ["W"]}}
    assert needed(resources, "V") == ("A", "G")
    assert needed(resources, "W") == ("B", "H")


@pytest.mark.parametrize("first", ["V", "X"])
def test_conditions_that_wait_for_each_other_make_no_circle(first: str) -> None:
    one, two = first, f"{first}2"
    resources = {"G": HANDLE, "H": HANDLE, one: waits("G"), two: waits("H")}
    resources |= {"A": holds("G", after=(two,)), "B": holds("H", after=(one,))}
    assert needed(resources, one) == ("A", "G")
    assert needed(resources, two) == ("H",)
