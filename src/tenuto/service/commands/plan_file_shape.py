"""The shape of a plan file, as types: a file written by hand is checked against it.

The shape is checked before the signature, so that a file of another program is told where it does not fit.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from tenuto.errors import UserError
from tenuto.kit.canonical import DocumentError
from tenuto.kit.documents import from_document
from tenuto.model.command import Command
from tenuto.model.ids import Json, JsonMap
from tenuto.model.process import ReleaseMode


@dataclass(frozen=True, slots=True, kw_only=True)
class _Process:
    fid: str | None
    alias: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Facts:
    process: JsonMap
    resources: Mapping[str, JsonMap]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Change:
    path: str
    before: Json
    after: Json
    forces_replacement: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class _Operation:
    op: str
    type: str
    logical_id: str
    id: str | None
    destructive: bool
    reason: str
    changes: tuple[_Change, ...]
    depends_on: tuple[str, ...]
    source: JsonMap | None


@dataclass(frozen=True, slots=True, kw_only=True)
class _File:
    format: str
    version: int
    command: Command
    process: _Process
    made_at: str
    composition: JsonMap | None
    sealed: Mapping[str, str]
    releasing: ReleaseMode | None
    facts: _Facts
    operations: tuple[_Operation, ...]
    signature: str
    made_by: str = ""
    """Files of before do not say it."""


def check_shape(document: JsonMap) -> None:
    """Raise UserError, naming every place that does not fit, unless the document has the shape of a plan file."""
    try:
        from_document(_File, document)
    except DocumentError as wrong:
        raise UserError(f"The plan file is none that Tenuto made: {wrong}. Make the plan again.") from wrong
