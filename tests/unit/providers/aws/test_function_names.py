"""A function, with a version or an alias, in a call that takes the two apart."""

import pytest

from tenuto.providers.aws.types.lambda_names import function_of

ARN = "arn:aws:lambda:eu-west-1:123456789012:function:shop"


@pytest.mark.parametrize(
    ("spelled", "name", "qualifier"),
    [
        ("shop", "shop", None),
        ("shop:live", "shop", "live"),
        ("my-function:live", "my-function", "live"),
        (ARN, "shop", None),
        (f"{ARN}:live", "shop", "live"),
        ("arn:aws-us-gov:lambda:us-gov-west-1:123456789012:function:shop:7", "shop", "7"),
        ("123456789012:function:shop", "shop", None),
        ("123456789012:function:shop:$LATEST", "shop", "$LATEST"),
    ],
)
def test_a_function_is_named_apart_from_its_alias(spelled: str, name: str, qualifier: str | None) -> None:
    found = function_of(spelled)
    assert (found["FunctionName"], found.get("Qualifier")) == (name, qualifier)
    assert set(found) <= {"FunctionName", "Qualifier"}
