"""Every older spelling that a managed type still takes is listed, with how it is compared.

The schemas are gone through for what hints at two spellings of one thing: properties that are called deprecated, words
of old times in descriptions, a property beside its plural or beside the same with a unit, and values that differ in
case alone. What is found and not listed here fails, so that no new type and no new property of an old one forgets one.
"""

import re
from collections.abc import Iterator, Mapping

import pytest

from tenuto.compositions.checks.schema import AwsSchemas, follow
from tenuto.model.cloud_node import CLOUD_NODE
from tenuto.model.ids import JsonMap
from tenuto.model.resource import Comparison
from tenuto.model.spelling import Spelling
from tenuto.providers.aws.kind import AwsType
from tenuto_testing.cloud.served import SERVED

# AWS publishes no schema of a node.
CATALOGUE = {name: kind for name, kind in SERVED.items() if name != CLOUD_NODE}
KINDS = [pytest.param(kind, id=name) for name, kind in CATALOGUE.items()]
_OF_OLD_TIMES = re.compile(r"deprecated|legacy|obsolete|no longer available|EC2-Classic", re.IGNORECASE)
_ENDINGS = ("s", "es", "Id", "InDays")
RULES = "LifecycleConfiguration.Rules"
SYNONYMS: Mapping[str, str] = {
    "AWS::EC2::EIPAssociation EIP": "AllocationId",
    "AWS::EC2::SecurityGroupIngress SourceSecurityGroupName": "SourceSecurityGroupId",
    "AWS::EC2::Subnet AvailabilityZone": "AvailabilityZoneId",
    "AWS::EC2::Volume AvailabilityZone": "AvailabilityZoneId",
}
"""Properties that say one thing in two ways (`ResourceType.synonyms`)."""
OLDER_WORDS: Mapping[str, str] = {
    f"AWS::S3::Bucket {RULES}.NoncurrentVersionExpirationInDays": "NoncurrentVersionExpiration",
    f"AWS::S3::Bucket {RULES}.NoncurrentVersionTransition": "NoncurrentVersionTransitions",
    f"AWS::S3::Bucket {RULES}.Transition": "Transitions",
}
"""Older words of a mapping (`Spelling`), and the newer ones."""
FOLDED = {
    f"AWS::S3::Bucket {RULES}.{name}.StorageClass"
    for name in ("NoncurrentVersionTransition", "NoncurrentVersionTransitions", "Transition", "Transitions")
}
"""Values that are spelled in two cases."""
NO_TWO_SPELLINGS: Mapping[str, str] = {
    "AWS::EC2::Instance NetworkInterfaces.PrivateIpAddress": "write-only: sent as it is declared",
    "AWS::EC2::Subnet Ipv6CidrBlock": "the plural is read-only",
    "AWS::S3::Bucket AccessControl": "old, but there is no newer word: canned ACLs are compared as such",
    "AWS::S3::Bucket LifecycleConfiguration.Rules.NoncurrentVersionExpiration": "the newer word itself",
}
"""Hints that mean nothing."""
LISTED = {*SYNONYMS, *OLDER_WORDS, *FOLDED, *NO_TWO_SPELLINGS}


@pytest.mark.parametrize("kind", KINDS)
def test_every_hint_at_two_spellings_is_listed(kind: AwsType) -> None:
    assert hints(kind) - LISTED == set(), "compare both spellings by what they mean, and list them here"


def test_no_listed_one_is_gone() -> None:
    assert LISTED - {hint for kind in CATALOGUE.values() for hint in hints(kind)} == set()


@pytest.mark.parametrize(("older", "newer"), sorted(SYNONYMS.items()))
def test_synonyms_are_those_of_the_block(older: str, newer: str) -> None:
    name, path = older.split(" ")
    assert any({path, newer} <= set(group) for group in CATALOGUE[name].facts.synonyms)


@pytest.mark.parametrize(("older", "newer"), sorted(OLDER_WORDS.items()))
def test_older_words_are_those_of_the_block(older: str, newer: str) -> None:
    name, path = older.split(" ")
    parent, _, word = path.rpartition(".")
    rule = CATALOGUE[name].facts.compare_as[f"{parent}[]"]
    assert isinstance(rule, Spelling)
    assert newer in (rule.items.get(word), rule.members.get(word, ("", ""))[0])


@pytest.mark.parametrize("value", sorted(FOLDED))
def test_values_in_two_cases_are_compared_without_it(value: str) -> None:
    name, path = value.split(" ")
    newer = path.replace("Transition.", "Transitions.")
    assert CATALOGUE[name].facts.compare_as[newer] is Comparison.FOLDED


def hints(kind: AwsType) -> set[str]:
    schema = AwsSchemas("us-east-1").find(kind.facts.name)
    assert schema is not None
    document = schema.document
    deprecated = {one.removeprefix("/properties/") for one in document.get("deprecatedProperties", ())}
    found = {one for one in deprecated if one in schema.properties} | set(_hints(document, document, ""))
    return {f"{kind.facts.name} {path}" for path in found if path.split(".")[0] not in kind.facts.refused}


def _hints(node: JsonMap, document: JsonMap, path: str) -> Iterator[str]:
    rule = follow(node, document)
    if path and _OF_OLD_TIMES.search(f"{node.get('description', '')} {rule.get('description', '')}"):
        yield path
    words = [str(one).casefold() for one in rule.get("enum", ())]
    if len(set(words)) < len(words):
        yield path
    properties = rule.get("properties")
    if isinstance(properties, Mapping):
        for name, one in properties.items():
            inner = f"{path}.{name}" if path else name
            if any(f"{name}{ending}" in properties for ending in _ENDINGS):
                yield inner
            yield from _hints(one, document, inner)
    elif isinstance(rule.get("items"), Mapping):
        yield from _hints(rule["items"], document, path)
