"""The operations of a patch say just what differs, in the service's own words."""

import botocore.session
import pytest
from botocore.model import Shape

from tenuto.model.ids import JsonMap
from tenuto.providers.aws.blocks.patches import operations


def answer_of(operation: str) -> Shape:
    found: Shape = (
        botocore.session.get_session().get_service_model("apigateway").operation_model(operation).output_shape
    )
    return found


STAGE, API = answer_of("UpdateStage"), answer_of("UpdateRestApi")


@pytest.mark.parametrize(
    ("shape", "before", "after", "expected"),
    [
        (STAGE, {"description": "a"}, {"description": "a"}, []),
        (STAGE, {"description": "a"}, {"description": "b"}, ["replace /description b"]),
        (STAGE, {}, {"tracingEnabled": True}, ["replace /tracingEnabled true"]),
        # A patch takes away settings as a whole, and a text by an empty one.
        (
            STAGE,
            {"accessLogSettings": {"format": "x"}, "clientCertificateId": "c"},
            {},
            ["remove /accessLogSettings", "replace /clientCertificateId "],
        ),
        # The names of variables are the user's: what is not declared any more goes.
        (
            STAGE,
            {"variables": {"a": "1", "b/c": "2"}},
            {"variables": {"a": "3"}},
            ["remove /variables/b~1c", "replace /variables/a 3"],
        ),
        # The names of settings are the service's: what is not declared is left alone.
        (
            STAGE,
            {"accessLogSettings": {"destinationArn": "a", "format": "x"}},
            {"accessLogSettings": {"format": "y"}},
            ["replace /accessLogSettings/format y"],
        ),
        (
            API,
            {"binaryMediaTypes": ["image/png", "a/b"]},
            {"binaryMediaTypes": ["a/b", "c/d", "e~f"]},
            ["remove /binaryMediaTypes/image~1png", "add /binaryMediaTypes/c~1d", "add /binaryMediaTypes/e~0f"],
        ),
        (
            API,
            {"endpointConfiguration": {"types": ["EDGE"]}},
            {"endpointConfiguration": {"types": ["REGIONAL"]}},
            ["replace /endpointConfiguration/types/EDGE REGIONAL"],
        ),
        (
            API,
            {"endpointConfiguration": {"vpcEndpointIds": ["a"]}},
            {"endpointConfiguration": {"vpcEndpointIds": ["a", "b", "c"]}},
            ["add /endpointConfiguration/vpcEndpointIds b", "add /endpointConfiguration/vpcEndpointIds c"],
        ),
    ],
)
def test_a_patch_has_an_operation_for_each_difference(
    shape: Shape, before: JsonMap, after: JsonMap, expected: list[str]
) -> None:
    assert [" ".join(map(str, one.values())) for one in operations(shape, before, after)] == expected
