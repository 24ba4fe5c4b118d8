"""Answers that a service once gave, served again: any recorded answer of any service, in the dialect of that service.

    session = ReplaySession({"GetRole": {"Role": {"RoleName": "runs", ...}}})
    session.create_client("iam", "us-east-1").get_role(RoleName="runs")

Theory of operation. A recording holds the value into which the SDK has parsed an answer. To test a reader by it, the
whole way must be gone again: so it is written as the service writes it, in the protocol that the SDK speaks with it
(`query`, `ec2`, `rest-xml`, `rest-json` or `json`), and parsed by the SDK. An operation without a recorded answer goes
to another cloud, where nothing is, or is refused.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

from botocore.awsrequest import AWSPreparedRequest, AWSResponse
from botocore.config import Config
from botocore.model import ServiceModel

from tenuto_testing.cloud.cloud import Cloud
from tenuto_testing.cloud.in_process import answered, plain
from tenuto_testing.cloud.services import Service
from tenuto_testing.cloud.sessions import ClosedSession, published_models
from tenuto_testing.cloud.wire.messages import HttpAnswer, Refusal
from tenuto_testing.cloud.wire.shaped import fitted

_SERVICES = {
    "apigateway": ("apigateway", "apigatewayv2"),
    "elasticfilesystem": ("efs",),
    "elasticloadbalancing": ("elbv2", "elb"),
    "monitoring": ("cloudwatch",),
    "states": ("stepfunctions",),
}
"""The names of services in the SDK, where recordings have the names of their addresses."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recording:
    """One recorded answer: the service as the SDK names it, the operation, the status, and the answer as parsed."""

    path: Path
    service: str
    operation: str
    status: int
    data: Mapping[str, Any]

    @property
    def name(self) -> str:
        return f"{self.path.parent.name}/{self.path.stem}"

    @property
    def answer(self) -> "Mapping[str, Any] | Refusal":
        """The answer to serve; a refusal where the service refused."""
        if self.status < 400:
            return self.data
        error = self.data.get("Error", {})
        return Refusal(str(error.get("Code", "Unknown")), str(error.get("Message", "")), self.status)


def recordings(folder: Path, pattern: str = "*/*") -> Iterator[Recording]:
    """The recordings `SERVICE/OPERATION-NN.json` in a folder, in order; those whose operation the SDK does not know are
    left out."""
    for path in sorted(folder.glob(f"{pattern}.json")):
        found = json.loads(path.read_text(encoding="utf-8"))
        operation = path.stem.rpartition("-")[0]
        data = {name: revived(one) for name, one in found["data"].items() if name != "ResponseMetadata"}
        names = _SERVICES.get(path.parent.name, (path.parent.name,))
        known = [name for name in names if operation in _model(name).operation_names]
        service = max(known, key=lambda name: _known(name, operation, data), default="")
        if service:
            yield Recording(
                path=path, service=service, operation=operation, status=int(found["status_code"]), data=data
            )


def revived(value: Any) -> Any:
    """A recorded value with its moments as seconds since 1970."""
    if isinstance(value, dict):
        if value.get("__class__") == "datetime":
            parts = {name: int(one) for name, one in value.items() if name != "__class__"}
            moment = datetime(parts.pop("year"), parts.pop("month"), parts.pop("day"), tzinfo=UTC)
            microseconds = parts.pop("microsecond", 0)
            return (moment + timedelta(**{f"{name}s": one for name, one in parts.items()})).timestamp() + (
                microseconds / 1_000_000
            )
        return {name: revived(one) for name, one in value.items()}
    return [revived(one) for one in value] if isinstance(value, list) else value


class ReplaySession(ClosedSession):
    """A session whose clients get recorded answers, by the name of the operation. All else is asked of `others`."""

    def __init__(self, answers: Mapping[str, Any], others: Cloud | None = None) -> None:
        super().__init__()
        self._answers = answers
        self._others = others

    def create_client(self, service_name: str, region_name: str | None = None, **options: Any) -> Any:
        given = options.pop("config", None) or Config()
        if service_name == "s3":
            given = given.merge(Config(s3={"addressing_style": "path"}))
        client = super().create_client(service_name, region_name, config=given, **options)
        client.meta.events.register("before-send", partial(self._send, service_name))
        return client

    def _send(self, service_name: str, request: AWSPreparedRequest, event_name: str, **_: Any) -> AWSResponse:
        action = event_name.rpartition(".")[2]
        answer = self._answer(service_name, action, request)
        return answered(request.url, answer, is_head=request.method == "HEAD")

    def _answer(self, service_name: str, action: str, request: AWSPreparedRequest) -> HttpAnswer:
        if action in self._answers:
            return written(service_name, action, self._answers[action])
        if self._others is None:
            return written(service_name, action, Refusal("AccessDenied", f"{action} is not recorded.", 403))
        reply = self._others.handle(plain(request))
        assert reply.answer is not None, "the cloud of the others has no faults"
        return reply.answer


def written(service_name: str, action: str, answer: Any) -> HttpAnswer:
    """A recorded answer, or a refusal, as its service writes it."""
    service = _service(service_name)
    if isinstance(answer, Refusal):
        return service.refuse(answer, "recorded")
    shape = _model(service_name).operation_model(action).output_shape
    return service.write(action, fitted(shape, answer), "recorded")


@lru_cache(maxsize=64)
def _service(service_name: str) -> Service:
    return Service(_model(service_name), {})


@lru_cache(maxsize=64)
def _model(service_name: str) -> ServiceModel:
    return ServiceModel(published_models().load_service_model(service_name, "service-2"), service_name)


def _known(service_name: str, operation: str, data: Mapping[str, Any]) -> int:
    """The number of values in an answer that the operation of this service knows."""
    return _leaves(fitted(_model(service_name).operation_model(operation).output_shape, data))


def _leaves(value: Any) -> int:
    if isinstance(value, Mapping):
        return sum(map(_leaves, value.values()))
    return sum(map(_leaves, value)) if isinstance(value, list) else 1
