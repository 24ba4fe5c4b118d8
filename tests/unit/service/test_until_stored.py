"""Optimistic writes: an attempt is repeated for as long as another write is faster, and not for ever."""

import pytest

from tenuto.errors import ConflictError, NotAllowedError
from tenuto.service.common.until_stored import until_stored


class Racing:
    """A write that loses a number of times."""

    def __init__(self, losses: int) -> None:
        self.losses = losses
        self.tried: list[str] = []

    @until_stored
    def write(self, name: str, *, ends: str = "") -> str:
        """Write once, or lose."""
        self.tried.append(name + ends)
        if len(self.tried) <= self.losses:
            raise ConflictError("another one was faster")
        return name + ends


@pytest.mark.parametrize("losses", [0, 1, 9])
def test_an_attempt_is_repeated_with_its_arguments_until_it_is_stored(losses: int) -> None:
    """The last of ten attempts may be the one."""
    racing = Racing(losses)
    assert racing.write("blob", ends="!") == "blob!"
    assert racing.tried == ["blob!"] * (losses + 1)


def test_the_tenth_loss_is_told() -> None:
    """A fault of the store does not hold the caller for ever."""
    racing = Racing(10)
    with pytest.raises(ConflictError, match="faster"):
        racing.write("blob")
    assert len(racing.tried) == 10


def test_another_refusal_ends_it_at_once() -> None:
    """Only a lost race is worth another attempt."""
    tried: list[int] = []

    @until_stored
    def refused() -> None:
        tried.append(1)
        raise NotAllowedError("no")

    with pytest.raises(NotAllowedError):
        refused()
    assert tried == [1]
