"""Idempotency: the same client token with the same parameters gets the first answer again, with others a refusal."""

import json

from tenuto_testing.cloud.wire.messages import Refusal
from tenuto_testing.cloud.world import Data

_MISMATCH = {"cloudcontrol": "ClientTokenConflictException"}
"""The services that have a code of their own for it."""
_KEPT_S = 24 * 3600.0
"""EC2 remembers a token for at least a day."""


class Tokens:
    """The answer to each token, per account, region and action."""

    def __init__(self) -> None:
        self._answers: dict[tuple[str, ...], tuple[str, Data, float]] = {}

    def recall(self, key: tuple[str, ...], asked: str, now: float) -> Data | None:
        """The first answer, if the token was used. Raises Refusal when it was used for something else."""
        used = self._answers.get(key)
        if used is None or now - used[2] > _KEPT_S:
            return None
        if used[0] != asked:
            raise Refusal(
                _MISMATCH.get(key[2], "IdempotentParameterMismatch"),
                "The client token was used before with other parameters than those of this request.",
            )
        return used[1]

    def keep(self, key: tuple[str, ...], asked: str, answer: Data, now: float) -> None:
        self._answers[key] = (asked, answer, now)


def asked_for(parameters: Data) -> str:
    """The parameters as a text that tells two requests apart; taken before anything is done with them."""
    return json.dumps(parameters, sort_keys=True, default=repr)
