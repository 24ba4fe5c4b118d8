"""The templates of an answer of API Gateway that turn what they get into nothing."""

from typing import Any, cast

from tenuto.providers.aws.blocks.thing import Thing
from tenuto.providers.aws.types.apigateway_method import _Integration


def test_an_empty_template_is_shown_as_it_was_declared() -> None:
    """API Gateway answers null for the empty text that it was sent."""
    answers = {"200": {"statusCode": "200", "responseTemplates": {"application/json": None, "text/plain": "$x"}}}
    answer = {"methodIntegration": {"type": "MOCK", "integrationResponses": answers}}
    found = cast(Any, _Integration().read(cast(Thing, type("Shown", (), {"answer": answer})())))
    (shown,) = found["Integration"]["IntegrationResponses"]
    assert shown["ResponseTemplates"] == {"application/json": "", "text/plain": "$x"}
