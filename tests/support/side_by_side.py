"""The same calls to two clouds, and how their answers differ.

An answer is compared as a flat mapping of paths to values, in which everything that cannot be the same is masked: ids,
times, addresses that were given out. Lists are compared without their order.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from botocore import xform_name
from botocore.exceptions import ClientError
from botocore.parsers import ResponseParserError

_ID = re.compile(r"\b([a-z]+(?:-[a-z]+)*)-[0-9a-f]{8,17}\b")
_PUBLIC = re.compile(r"\b(?!10\.|172\.|0\.)\d+[.-]\d+[.-]\d+[.-]\d+\b")
_UUID = re.compile(r"\b[0-9a-f]{8}(?:-?[0-9a-f]{4}){3}-?[0-9a-f]{12}\b")
_HOST = re.compile(r"^https?://[^/]+/")
_HIDDEN = re.compile(r"\b(AROA|AIPA|ANPA|AIDA)[A-Z0-9]{17}\b|\b[0-9a-f]{64}\b|\b75aa57f09aa0[0-9a-f]+\b")


@dataclass(frozen=True, slots=True)
class Step:
    """One call. Values may be `$name`, what an earlier step saved; `save` names a path of the answer to keep."""

    call: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    save: Mapping[str, str] = field(default_factory=dict)


class Side:
    """One cloud, and what was saved of its answers."""

    def __init__(self, clients: Mapping[str, Any]) -> None:
        self._clients = clients
        self._saved: dict[str, Any] = {}

    def take(self, step: Step) -> dict[str, Any]:
        """The masked answer of a step, or its error code as `{"code": …}`."""
        service, operation = step.call.split(".")
        try:
            answer = getattr(self._clients[service], xform_name(operation))(**self._filled(step.parameters))
        except ClientError as error:
            return {"code": error.response["Error"]["Code"]}
        except ResponseParserError:
            return {"code": "unreadable"}
        answer.pop("ResponseMetadata", None)
        for name, path in step.save.items():
            self._saved[name] = _at(answer, path)
        return dict(_flat(_masked(answer), ""))

    def _filled(self, value: Any) -> Any:
        if isinstance(value, Mapping):
            return {name: self._filled(one) for name, one in value.items()}
        if isinstance(value, list | tuple):
            return [self._filled(one) for one in value]
        return self._saved[value[1:]] if isinstance(value, str) and value.startswith("$") else value


def differences(step: Step, ours: Mapping[str, Any], theirs: Mapping[str, Any]) -> list[str]:
    """What differs, as `ec2.CreateVpc Vpc.State: 'pending' | 'available'`, ours first. `-` is nothing."""
    paths = sorted(ours.keys() | theirs.keys())
    return [
        f"{step.call} {path}: {_shown(ours, path)} | {_shown(theirs, path)}"
        for path in paths
        if ours.get(path, "-") != theirs.get(path, "-")
    ]


def _shown(answer: Mapping[str, Any], path: str) -> str:
    return repr(answer[path]) if path in answer else "-"


def _at(value: Any, path: str) -> Any:
    for step in path.split("."):
        value = value[int(step)] if step.isdigit() else value[step]
    return value


def _masked(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _masked(one) for name, one in value.items()}
    if isinstance(value, list):
        return sorted((_masked(one) for one in value), key=lambda one: json.dumps(one, sort_keys=True))
    if isinstance(value, datetime):
        return "TIME"
    if isinstance(value, str):
        known = _HOST.sub("HOST/", _UUID.sub("UUID", value))
        return _PUBLIC.sub("PUBLIC", _HIDDEN.sub("HIDDEN", _ID.sub(r"\1-ID", known)))
    return value


def _flat(value: Any, path: str) -> Iterator[tuple[str, Any]]:
    if isinstance(value, Mapping):
        for name, one in value.items():
            yield from _flat(one, f"{path}.{name}" if path else name)
    elif isinstance(value, Sequence) and not isinstance(value, str | bytes):
        if not value:
            yield path, "[]"
        for index, one in enumerate(value):
            yield from _flat(one, f"{path}.{index}")
    else:
        yield path, value
