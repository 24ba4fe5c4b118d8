"""Ops as providers and plugins deliver them, made such that they can be stored.

An op is a record for people. So a wrong field never counts against the call that it tells of: a text is made of a value
that stands in place of one, and a number that is none becomes zero. Only a value that is no op at all is refused.
"""

from dataclasses import replace
from math import isfinite

from tenuto.kit.well_formed import text_of
from tenuto.model.ids import Instant, ObjectId, Partition
from tenuto.model.outcome import Op


def sound_op(given: object) -> Op | None:
    """The op with fields of the right kinds; None for a value that is no op."""
    if not isinstance(given, Op):
        return None
    return replace(
        given,
        at=Instant(_number(given.at)),
        partition=_place(given.partition),
        service=text_of(given.service),
        operation=text_of(given.operation),
        object_ids=_ids(given.object_ids),
        request_id=text_of(given.request_id),
        duration_s=_number(given.duration_s),
        code=text_of(given.code),
        message=text_of(given.message),
    )


def _place(given: object) -> Partition:
    account, region = (given.account, given.region) if isinstance(given, Partition) else ("", "")
    return Partition(account=text_of(account), region=text_of(region))


def _ids(given: object) -> tuple[ObjectId, ...]:
    return tuple(ObjectId(text_of(one)) for one in given) if isinstance(given, tuple | list) else ()


def _number(given: object) -> float:
    return float(given) if isinstance(given, int | float) and isfinite(given) else 0.0
