"""Tags that others write on everything in an account, such as the cost centre of a department.

Theory of operation. An installation names their keys (`ignored_tags`). They join the tags that services of AWS write
(`client.owner.TAGS_OF_SERVICES`), wherever a type has tags: they are no drift, no change takes them away, and a call
that replaces all tags of a thing sends them as well. A tag that is declared is always ours.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from tenuto.model.resource import ResourceType
from tenuto.model.spelling import ServiceMembers
from tenuto.providers.aws.client.owner import TAGS_OF_SERVICES


class IgnoredTags:
    """The keys that one installation ignores; `*` in a key stands for any text."""

    def __init__(self, keys: Sequence[str]) -> None:
        [services] = TAGS_OF_SERVICES.texts.values()
        patterns = [".*".join(map(re.escape, key.split("*"))) for key in keys]
        self._mark = ServiceMembers(texts={"Key": "|".join([services, *patterns])}) if patterns else TAGS_OF_SERVICES

    def within(self, facts: ResourceType) -> ResourceType:
        """The facts of a type with these tags left to others."""
        if self._mark == TAGS_OF_SERVICES:
            return facts
        marks = {path: self._mark if mark == TAGS_OF_SERVICES else mark for path, mark in facts.of_services.items()}
        return replace(facts, of_services=marks)
