"""Names in every spelling that AWS takes: one key is itself in all of them, and two keys are never the same."""

from hypothesis import given
from hypothesis import strategies as st

from tenuto.core.planning.equality.values import is_same_name
from tenuto.model.naming import NOTHING_KNOWN, Names
from tenuto.providers.aws.naming import INSTANCE_PROFILE, KMS_KEY

PLACES = st.builds(
    "arn:{}:kms:{}:{}".format,
    st.sampled_from(["aws", "aws-cn", "aws-us-gov"]),
    st.sampled_from(["us-east-1", "cn-north-1", "us-gov-west-1"]),
    st.sampled_from(["123456789012", "210987654321"]),
)
KEYS = st.tuples(PLACES, st.uuids().map(str) | st.uuids().map(lambda one: f"mrk-{one.hex}"))
ALIASES = st.text(alphabet="abcXYZ019/_-", min_size=1, max_size=12).map("alias/{}".format)


def spellings(key: tuple[str, str], alias: str) -> list[str]:
    """A key by its id, its ARN, its alias, and the ARN of that."""
    place, key_id = key
    return [key_id, key_id.upper(), f"{place}:key/{key_id}", alias, f"{place}:{alias}"]


def told(key: tuple[str, str], alias: str) -> dict[str, str]:
    place, key_id = key
    return dict.fromkeys([alias, f"{place}:{alias}"], f"{place}:key/{key_id}")


@given(KEYS, ALIASES)
def test_every_spelling_of_a_key_names_it(key: tuple[str, str], alias: str) -> None:
    names = Names(pointed_at=told(key, alias))
    every = spellings(key, alias)
    assert all(is_same_name(one, other, KMS_KEY, names) for one in every for other in every)


@given(KEYS, KEYS, ALIASES, ALIASES)
def test_no_spelling_of_one_key_names_another(
    one: tuple[str, str], other: tuple[str, str], alias: str, other_alias: str
) -> None:
    if one[1].casefold() == other[1].casefold() or alias == other_alias:
        return
    names = Names(pointed_at=told(one, alias) | told(other, other_alias), is_lenient=True)
    for left in spellings(one, alias):
        for right in spellings(other, other_alias):
            assert not is_same_name(left, right, KMS_KEY, names)


@given(PLACES, PLACES, st.uuids())
def test_a_multi_region_key_is_another_one_in_each_region(here: str, there: str, number: object) -> None:
    key_id = f"mrk-{number.hex}"  # type: ignore[attr-defined]
    arns = [f"{place}:key/{key_id}" for place in (here, there)]
    assert is_same_name(*arns, KMS_KEY) is (here == there)


@given(KEYS, KEYS, ALIASES, st.booleans())
def test_no_name_is_the_same_in_one_direction_only(
    one: tuple[str, str], other: tuple[str, str], alias: str, is_lenient: bool
) -> None:
    for names in (NOTHING_KNOWN, Names(pointed_at=told(one, alias), is_lenient=is_lenient)):
        for left in spellings(one, alias):
            for right in spellings(other, alias):
                assert is_same_name(left, right, KMS_KEY, names) is is_same_name(right, left, KMS_KEY, names)


@given(st.text(alphabet="abcXYZ09+=,.@_-", min_size=1), st.text(alphabet="abcXYZ09+=,.@_-", min_size=1))
def test_an_instance_profile_is_the_same_by_name_and_by_arn(name: str, other: str) -> None:
    arn = f"arn:aws:iam::123456789012:instance-profile/teams/web/{name}"
    assert is_same_name(name, arn, INSTANCE_PROFILE)
    assert is_same_name(other, arn, INSTANCE_PROFILE) is (other == name)
