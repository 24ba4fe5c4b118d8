"""The macros of an expression: a variable takes each item of a list, or each key of a mapping, in turn.

The variable is put beside the others, and one that it hides comes back afterwards. Nothing that is made within a macro
is evaluated after it, so one set of variables is enough however deep the macros are nested.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

from tenuto.compositions.rules.kinds import NoAnswerError, mismatch, of_key

_NOTHING: Final = object()


def _macro(reduce: Callable[[Iterable[tuple[Any, Callable[[], Any]]]], Any]) -> Callable[[Any, str, Any], Any]:
    def made(receiver: Any, name: str, body: Any) -> Any:
        def run(frame: Any) -> Any:
            frame.meter.spend()
            container = receiver(frame)
            hidden = frame.names.get(name, _NOTHING)
            try:
                return reduce(_turns(container, name, body, frame))
            finally:
                if hidden is _NOTHING:
                    frame.names.pop(name, None)
                else:
                    frame.names[name] = hidden

        return run

    return made


def _turns(container: Any, name: str, body: Any, frame: Any) -> Iterator[tuple[Any, Callable[[], Any]]]:
    """Each item, and the function that evaluates the body for it; it is called before the next item is taken."""
    if type(container) not in (list, dict):
        raise mismatch(container)

    def value() -> Any:
        return body(frame)

    for key in container:
        frame.meter.spend()
        one = of_key(key) if type(container) is dict else key
        frame.names[name] = one
        yield one, value


def _decided(decisive: bool) -> Callable[[Iterable[tuple[Any, Callable[[], Any]]]], bool]:
    """Make the reduction of `all`, decided by the first item for which the body is false, or of `exists`, decided by
    the first true one.
    """

    def reduce(turns: Iterable[tuple[Any, Callable[[], Any]]]) -> bool:
        error = None
        for _, value in turns:
            try:
                if _truth(value()) is decisive:
                    return decisive
            except NoAnswerError as absorbed:
                error = error or absorbed
        if error:
            raise error
        return not decisive

    return reduce


def _truth(value: Any) -> bool:
    if type(value) is bool:
        return value
    raise mismatch(value)


MACROS: Final = {
    "all": _macro(_decided(False)),
    "exists": _macro(_decided(True)),
    "exists_one": _macro(lambda turns: sum(_truth(value()) for _, value in turns) == 1),
    "filter": _macro(lambda turns: [one for one, value in turns if _truth(value())]),
    "map": _macro(lambda turns: [value() for _, value in turns]),
}
