"""All that a topic is set to: moto keeps each attribute, and shows some of them. It knows no protection of data.

SNS does not delete a topic that archives its messages, so that they are not lost.
"""

import json
from typing import Any

from moto.core.responses import ActionResult, EmptyResult
from moto.core.utils import camelcase_to_underscores
from moto.sns.exceptions import SNSException, SNSInvalidParameter
from moto.sns.responses import SNSResponse

_LOGS = [
    f"{protocol}{name}"
    for protocol in ("Application", "Firehose", "HTTP", "Lambda", "SQS")
    for name in ("FailureFeedbackRoleArn", "SuccessFeedbackRoleArn", "SuccessFeedbackSampleRate")
]
_MORE = ("ArchivePolicy", "FifoThroughputScope", "MaximumMessageSize", "SignatureVersion", "TracingConfig", *_LOGS)
_attributes, _set, _create, _delete = (
    SNSResponse.get_topic_attributes,
    SNSResponse.set_topic_attributes,
    SNSResponse.create_topic,
    SNSResponse.delete_topic,
)


class _InvalidState(SNSException):
    code = "InvalidState"


def _archives(topic: Any) -> bool:
    policy = getattr(topic, "archive_policy", None)
    return bool(json.loads(policy) if isinstance(policy, str) and policy else policy)


def _deleted(self: Any) -> Any:
    topic = self.backend.topics.get(self._get_param("TopicArn"))
    if topic is not None and _archives(topic):
        raise _InvalidState("Invalid state: Cannot delete a topic with an ArchivePolicy")
    return _delete(self)


def _shown(self: Any) -> ActionResult:
    answer = _attributes(self)
    topic = self.backend.get_topic(self._get_param("TopicArn"))
    found = {name: getattr(topic, camelcase_to_underscores(name), None) for name in _MORE}
    answer.result["Attributes"].update({name: value for name, value in found.items() if value not in (None, "")})  # type: ignore[index]
    return answer


def _changed(self: Any) -> ActionResult:
    name, value = self._get_param("AttributeName"), self._get_param("AttributeValue")
    if name.endswith("SampleRate") and not (str(value).isdigit() and int(value) <= 100):
        raise SNSInvalidParameter(f"{name} must be a number from 0 to 100")
    if name == "ArchivePolicy" and not value:
        raise SNSInvalidParameter("Invalid parameter: ArchivePolicy: must be a JSON document")
    return _set(self)


def _protected(self: Any, topic_arn: str) -> Any:
    topic = self.backend.get_topic(topic_arn)
    if topic.fifo_topic:
        raise SNSInvalidParameter("Data protection policies are not supported for FIFO topics")
    return topic


def _born(self: Any) -> ActionResult:
    answer = _create(self)
    if policy := self._get_param("DataProtectionPolicy"):
        vars(_protected(self, answer.result["TopicArn"]))["tenuto_protection"] = policy  # type: ignore[index]
    return answer


def _protect(self: Any) -> ActionResult:
    topic = _protected(self, self._get_param("ResourceArn"))
    vars(topic)["tenuto_protection"] = self._get_param("DataProtectionPolicy")
    return EmptyResult()


def _protection(self: Any) -> ActionResult:
    policy = vars(_protected(self, self._get_param("ResourceArn"))).get("tenuto_protection")
    return ActionResult({"DataProtectionPolicy": policy} if policy else {})


def add() -> None:
    """Add them."""
    changed = {
        "create_topic": _born,
        "delete_topic": _deleted,
        "get_data_protection_policy": _protection,
        "get_topic_attributes": _shown,
        "put_data_protection_policy": _protect,
        "set_topic_attributes": _changed,
    }
    for name, call in changed.items():
        setattr(SNSResponse, name, call)
