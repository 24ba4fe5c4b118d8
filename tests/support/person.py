"""A person at a terminal, who reads before answering: between a question and its answer a test may act."""

import io
from collections.abc import Callable, Sequence


class Person(io.StringIO):
    """A stdin that is a terminal; each answer is a text, or an act that gives one."""

    def __init__(self, answers: Sequence[str | Callable[[], str]]) -> None:
        super().__init__()
        self._answers = list(answers)

    def isatty(self) -> bool:
        return True

    def readline(self, size: int | None = -1, /) -> str:
        if not self._answers:
            return ""
        answer = self._answers.pop(0)
        return f"{answer if isinstance(answer, str) else answer()}\n"

    @property
    def is_done(self) -> bool:
        """Whether every answer was asked for."""
        return not self._answers
