"""A provider that publishes no schemas: what its types hold is not checked, so that a test can write what it needs."""

from collections.abc import Mapping

import pytest

from tenuto.compositions.checks import provided
from tenuto.model.ids import JsonMap, TypeName
from tenuto.model.resource import ResourceType


class _Open:
    prefixes = ("Simulated::",)

    def types(self) -> Mapping[TypeName, ResourceType]:
        return {}

    def schemas(self) -> Mapping[TypeName, JsonMap]:
        return {}


@pytest.fixture
def types_without_schemas(monkeypatch: pytest.MonkeyPatch) -> None:
    """The simulated types without their schemas, and no other provider but AWS."""
    monkeypatch.setattr(provided, "_publishers", lambda: (_Open(),))
