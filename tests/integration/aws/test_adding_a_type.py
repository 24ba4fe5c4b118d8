"""The block of the guide and its example stand in the source as they are printed, and live as all others do."""

import re
from dataclasses import fields
from pathlib import Path

import pytest

from tenuto.providers.aws.blocks.parts import Setting
from tenuto.providers.aws.types.tag_calls import TagCalls

ROOT = Path(__file__).parents[3]
GUIDE = ROOT / "docs/guide/adding-a-type.md"
NAMED = re.compile(r"`([\w./]*/\w+\.(?:py|yaml))`[.:]\n\n```(?:python|yaml)\n(.*?)```", re.DOTALL)


def test_the_page_prints_what_stands_in_the_source() -> None:
    printed = dict(NAMED.findall(GUIDE.read_text(encoding="utf-8")))
    assert sorted(Path(path).name for path in printed) == ["AWS__CloudWatch__Dashboard.yaml", "cloudwatch_dashboard.py"]
    for path, text in printed.items():
        assert (ROOT / path).read_text(encoding="utf-8") == text


@pytest.mark.parametrize("kind", [TagCalls, Setting])
def test_the_page_explains_every_field_of_the_calls_for_tags_and_of_a_setting(kind: type) -> None:
    page = GUIDE.read_text(encoding="utf-8")
    assert [one.name for one in fields(kind) if f"`{one.name}`" not in page and f"    {one.name}=" not in page] == []
