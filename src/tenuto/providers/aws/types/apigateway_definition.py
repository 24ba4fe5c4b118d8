"""The OpenAPI definition of an API, as a part of its block: resources, methods and routes that no template lists.

Theory of operation. An API is created empty, with its marks, and then takes its definition: so a creation whose answer
was lost is found again like any other. API Gateway shows nothing of the document that it was given. A definition that
changes is sent again, and one is sent to an API that has nothing yet; a definition of an adopted API stands as it is.
Its words about the API itself (its name, its description) give way to the properties of the template, which are changed
afterwards. To serve a new definition a REST API needs a new deployment, as in CloudFormation.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass

from tenuto.model.ids import Json, JsonMap
from tenuto.providers.aws.blocks.calls import Call
from tenuto.providers.aws.blocks.parts import Shown
from tenuto.providers.aws.blocks.thing import Thing
from tenuto.providers.aws.kind import Work
from tenuto.providers.aws.types.cloud_control_model import is_sent_anew
from tenuto.providers.aws.types.s3_text import text_at

_BODY, _PLACE = "Body", "BodyS3Location"
_LARGEST_BYTES = 6 * 1024 * 1024
"""The largest definition that API Gateway takes."""


@dataclass(frozen=True, kw_only=True)
class Definition(Shown):
    """A definition in the template or in S3. `options` are the parameters of the import, by the names of properties;
    `grown` shows the things that a definition makes, of which a new API has no more than `at_first`."""

    put: Call
    body: str
    options: Mapping[str, str]
    grown: Call
    grown_at: str
    at_first: int
    born: JsonMap
    """Parameters of a creation, for properties that a template with a definition need not declare; `name` stands for a
    name."""

    @property
    def properties(self) -> frozenset[str]:
        return frozenset({_BODY, _PLACE, *self.options})

    def read(self, thing: Thing) -> dict[str, Json]:
        return {}

    def at_birth(self, work: Work) -> dict[str, Json]:
        if not self._is_wanted(work):
            return {}
        name = work.want("Name") or _title(work.want(_BODY)) or f"{work.request.process_name}-{work.request.logical_id}"
        return {word: name if value is None else value for word, value in self.born.items()}

    def prepare(self, work: Work, service: str, words: str) -> JsonMap | None:
        if not self._is_wanted(work):
            return None
        is_new = any(is_sent_anew(work.request, name) for name in sorted(self.properties))
        if not is_new and not self._is_bare(work, service, words):
            return None
        given = {word: value for name, word in self.options.items() if (value := work.want(name)) is not None}
        text = _definition(work)
        about = self.put.about(words, work.id)
        return work.change(service, self.put.operation, **{**about, **given, self.body: text})

    def changes(self, service: str) -> Mapping[str, str]:
        return dict.fromkeys(sorted(self.properties), f"{service}:{self.put.operation}+")

    def _is_wanted(self, work: Work) -> bool:
        return any(work.want(name) is not None for name in (_BODY, _PLACE))

    def _is_bare(self, work: Work, service: str, words: str) -> bool:
        """Whether the API has no more things than every new one has."""
        shown = work.read(service, self.grown.operation, **self.grown.about(words, work.id)).get(self.grown_at) or ()
        return len(shown) <= self.at_first


def _title(body: Json) -> str:
    information = body.get("info") if isinstance(body, Mapping) else None
    return str(information.get("title") or "") if isinstance(information, Mapping) else ""


def _definition(work: Work) -> str:
    """The text of the definition. Raises PermanentError for one in S3 that is too large, or no text."""
    body = work.want(_BODY)
    if body is not None:
        return body if isinstance(body, str) else json.dumps(body)
    return text_at(work, work.need(_PLACE), _LARGEST_BYTES, "API Gateway")
