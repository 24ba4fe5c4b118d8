"""Answers in JSON, which can be sent also when a text in them is ill-formed."""

import json
from typing import Any

from starlette.responses import JSONResponse

from tenuto.kit.well_formed import well_formed


class JsonAnswer(JSONResponse):
    """The JSON of a document, with the replacement character for each lone surrogate: UTF-8 has no such character."""

    def render(self, content: Any) -> bytes:
        try:
            return super().render(content)
        except UnicodeEncodeError:
            text = json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
            return well_formed(text).encode()
