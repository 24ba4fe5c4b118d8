"""The ids that the strict cloud makes up are what the schemas of AWS take as references to them."""

import re

import pytest

from tenuto_testing.cloud.minting import minted
from tenuto_testing.cloud.resource_models import completed, refusal_of, schema_of

PATTERNS = [
    r"^[\w-]+_[0-9a-zA-Z]+$",
    r"^(arn:aws:x:[a-z]{2}-\w+-\d:\d{12}:)?thing/[a-f0-9]{8}$",
    r"[^:]{3,}:(one|two)",
    r"^\S+$",
]


@pytest.mark.parametrize("pattern", PATTERNS)
def test_a_minted_text_fits_its_pattern_and_follows_from_the_seed(pattern: str) -> None:
    texts = [minted(pattern, seed) for seed in ("one", "two", "one")]
    assert all(text is not None and re.search(pattern, text) for text in texts)
    assert texts[0] == texts[2]
    assert texts[0] != texts[1]


def test_a_pattern_with_other_parts_has_no_text() -> None:
    assert minted(r"^(a)\1$", "seed") is None


def test_the_id_of_a_new_thing_is_taken_by_types_that_refer_to_it() -> None:
    pool, client = schema_of("AWS::Cognito::UserPool"), schema_of("AWS::Cognito::UserPoolClient")
    assert pool is not None
    assert client is not None
    made = completed(pool, {}, name="userpool-0123456789abcdef0", arn="arn:aws:cognito:us-east-1:123456789012:x")
    assert refusal_of(client, {"UserPoolId": "userpool-0123456789abcdef0"}) != "", "any text would do"
    assert refusal_of(client, {"UserPoolId": made["UserPoolId"]}) == ""
