"""A lifecycle hook that an answer shows without a name is a damaged answer, and no mistake of Tenuto."""

from typing import Any, cast

import pytest

from tenuto.errors import TransientError
from tenuto.providers.aws.blocks.thing import Thing
from tenuto.providers.aws.client.answers.answers import Answer
from tenuto.providers.aws.client.client import AccountClient
from tenuto.providers.aws.types.autoscaling_attached import Hooks


class OneHook:
    def read(self, *_: str, **__: Any) -> Answer:
        return Answer(LifecycleHooks=[Answer(DefaultResult="CONTINUE")])


def test_a_hook_without_a_name_is_told_as_a_damaged_answer() -> None:
    client = cast(AccountClient, OneHook())
    thing = Thing(client=client, service="autoscaling", words="AutoScalingGroupName", id="web", answer=Answer())
    with pytest.raises(TransientError, match="LifecycleHookName is missing"):
        Hooks().read(thing)
