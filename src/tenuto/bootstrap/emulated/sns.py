"""All that a topic is set to: moto keeps each attribute, and shows some of them."""

from typing import Any

from moto.core.responses import ActionResult
from moto.core.utils import camelcase_to_underscores
from moto.sns.responses import SNSResponse

_MORE = ("SignatureVersion", "TracingConfig")
_attributes = SNSResponse.get_topic_attributes


def _shown(self: Any) -> ActionResult:
    answer = _attributes(self)
    topic = self.backend.get_topic(self._get_param("TopicArn"))
    found = {name: getattr(topic, camelcase_to_underscores(name), None) for name in _MORE}
    answer.result["Attributes"].update({name: value for name, value in found.items() if value is not None})  # type: ignore[index]
    return answer


def add() -> None:
    """Add them."""
    SNSResponse.get_topic_attributes = _shown  # type: ignore[method-assign]
