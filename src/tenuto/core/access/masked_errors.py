"""Errors of a provider that tell no secret.

An error keeps its family, its code and its request id. Its causes are dropped when one of them, or the error itself,
tells a secret: a traceback in the log would print them. An error that is no provider error becomes a PermanentError
then.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from tenuto.core.access.masking import Masker
from tenuto.errors import PermanentError, ProviderError


@contextmanager
def masked_errors(masker: Masker) -> Iterator[None]:
    """Raise what is raised within, without the secrets of the masker."""
    try:
        yield
    except Exception as error:
        if all(masker.mask(text) == text for one in _chain(error) for text in (str(one), repr(one))):
            raise
        text = masker.mask(str(error))
        if isinstance(error, ProviderError):
            raise type(error)(text, code=masker.mask(error.code), request_id=error.request_id) from None
        raise PermanentError(text or type(error).__name__, code=type(error).__name__) from None


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    """The error, and all that a traceback prints with it."""
    seen: set[int] = set()
    waiting = [error]
    while waiting:
        one = waiting.pop()
        if one is not None and id(one) not in seen:
            seen.add(id(one))
            yield one
            waiting += [one.__cause__, one.__context__]
