"""Asks CEL expressions, with a meter.

Rejected: an engine in another language. It is faster, but cannot be counted, and nothing else runs while it does.
Rejected: a process of its own, with limits of the system. It would have to be given each composition, and would
be stopped at another place on every machine.
"""

from typing import Any

from tenuto.compositions.rules.expressions import Program
from tenuto.compositions.rules.interpreter import Frame
from tenuto.compositions.rules.kinds import KINDS, NoAnswerError
from tenuto.compositions.rules.meter import ExhaustedError, Meter


class AskError(Exception):
    """An expression has no answer for these values; the message says why."""


def ask(program: Program, variables: dict[str, Any], meter: Meter) -> Any:
    """The answer: True, False, or a list of texts. Raises AskError for any other, and when there is none."""
    names = KINDS | {name: variables[name] for name in sorted(program.names)}
    try:
        answer = program.code(Frame(names, meter))
    except NoAnswerError as error:
        raise AskError(str(error)) from None
    except ExhaustedError:
        raise AskError("it takes too many steps") from None
    except RecursionError:
        raise AskError("it is nested too deeply") from None
    if type(answer) is bool or (type(answer) is list and all(type(one) is str for one in answer)):
        return answer
    raise AskError("its answer is neither true, false, nor a list of logical ids")
