"""Lists of EC2 are held against the filters that they were asked for by."""

import pytest

from tenuto.model.ids import JsonMap
from tenuto.providers.aws.client.answers.answers import Answer
from tenuto.providers.aws.client.answers.narrowing import narrowing_of, unnarrowed
from tenuto.providers.aws.client.answers.response_checks import asked_for, mistaken


def by(name: str, *values: str) -> dict[str, object]:
    return {"Filters": [{"Name": name, "Values": list(values)}]}


def tag(value: str) -> JsonMap:
    return {"Tags": [{"Key": "tenuto:object", "Value": value}]}


@pytest.mark.parametrize(
    ("asked", "ours", "other"),
    [
        (by("vpc-id", "vpc-1"), {"VpcId": "vpc-1"}, {"VpcId": "vpc-2"}),
        (by("vpc-id", "vpc-1"), {"VpcId": "vpc-1"}, {}),
        (by("tag:tenuto:object", "o-1"), tag("o-1"), tag("o-2")),
        (by("tag:tenuto:object", "o-1"), tag("o-1"), {}),
        (by("default", "true"), {"IsDefault": True}, {"IsDefault": False}),
        (by("group-id", "sg-1"), {"Groups": [{"GroupId": "sg-0"}, {"GroupId": "sg-1"}]}, {"Groups": []}),
        (by("attachment.vpc-id", "vpc-1"), {"Attachments": [{"VpcId": "vpc-1"}]}, {"Attachments": []}),
        ({"Filter": [{"Name": "state", "Values": ["deleted"]}]}, {"State": "deleted"}, {"State": "available"}),
    ],
)
def test_only_what_was_asked_for_is_kept(asked: JsonMap, ours: JsonMap, other: JsonMap) -> None:
    narrowing = narrowing_of(asked)
    assert narrowing is not None
    assert narrowing.sifted([ours]) == ([ours], False)
    assert narrowing.sifted([other, ours]) == ([ours], True)


def test_a_state_that_an_endpoint_does_not_show_is_no_other_one() -> None:
    narrowing = narrowing_of(by("state", "available"))
    assert narrowing is not None
    assert narrowing.sifted([{"VpcId": "vpc-1"}]) == ([{"VpcId": "vpc-1"}], False)


def test_of_a_group_of_instances_only_those_are_kept_and_the_group_is_not_written_into() -> None:
    group = {"Instances": [{"InstanceId": "i-1"}, {"InstanceId": "i-2"}]}
    narrowing = narrowing_of(by("instance-id", "i-1"))
    assert narrowing is not None
    assert narrowing.sifted([group]) == ([{"Instances": [{"InstanceId": "i-1"}]}], True)
    assert len(group["Instances"]) == 2


def test_a_filter_that_shows_nowhere_is_not_held_against_anything() -> None:
    assert narrowing_of(by("zone-type", "availability-zone")) is None
    assert narrowing_of({}) is None


def test_the_call_for_everything_has_no_filter() -> None:
    assert unnarrowed({**by("vpc-id", "vpc-1"), "OwnerIds": ["self"]}) == {"OwnerIds": ["self"]}


def test_a_list_that_holds_more_than_was_asked_for_by_id_is_cut() -> None:
    sent = {"AllocationIds": ["e-1"]}
    answer = Answer(Addresses=[{"AllocationId": "e-2"}, {"AllocationId": "e-1"}])
    assert mistaken("DescribeAddresses", sent, answer) is None
    cut = asked_for("DescribeAddresses", sent, answer)
    assert (cut, type(cut)) == ({"Addresses": [{"AllocationId": "e-1"}]}, Answer)
    assert asked_for("DescribeAddresses", sent, cut) is cut


def test_the_instances_beside_the_one_that_was_asked_for_are_left_out_of_its_group() -> None:
    answer = {"Reservations": [{"Instances": [{"InstanceId": "i-2"}, {"InstanceId": "i-1"}]}]}
    cut = asked_for("DescribeInstances", {"InstanceIds": ["i-1"]}, answer)
    assert cut == {"Reservations": [{"Instances": [{"InstanceId": "i-1"}]}]}


@pytest.mark.parametrize(
    ("answer", "is_mistaken"),
    [
        ({"Parameters": [{"Name": "/b"}]}, True),
        ({"Parameters": [{"Name": "/b"}], "InvalidParameters": ["/a"]}, False),
        ({"Parameters": [{"Name": "/a", "Selector": ":3"}]}, False),
        ({"Parameters": []}, False),
    ],
)
def test_parameters_that_nobody_asked_for_are_no_answer(answer: JsonMap, is_mistaken: bool) -> None:
    name = "/a:3" if "Selector" in str(answer) else "/a"
    assert (mistaken("GetParameters", {"Names": [name]}, answer) is not None) == is_mistaken


def test_subscriptions_of_another_topic_are_left_out_or_refused() -> None:
    sent, one, other = {"TopicArn": "t"}, {"TopicArn": "t"}, {"TopicArn": "u"}
    assert asked_for("ListSubscriptionsByTopic", sent, {"Subscriptions": [one, other]}) == {"Subscriptions": [one]}
    assert mistaken("ListSubscriptionsByTopic", sent, {"Subscriptions": [other]}) is not None
    assert mistaken("ListSubscriptionsByTopic", sent, {"Subscriptions": []}) is None
