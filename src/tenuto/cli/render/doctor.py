"""The findings of the doctor, as text for people."""

from collections.abc import Iterator

from tenuto.cli.terminal.times import short_time
from tenuto.model.ids import JsonMap


def render_examination(document: JsonMap) -> str:
    """Every problem with its subject, the reason and the advice; or that there is none."""
    return "\n".join(_lines(document))


def render_thing(one: JsonMap) -> str:
    """One thing that is not known, before it is adopted or deleted."""
    return "\n".join(_thing_lines(one))


def _lines(document: JsonMap) -> Iterator[str]:
    examined = f"{document['examined']} process{'' if document['examined'] == 1 else 'es'} examined"
    for one in document["problems"]:
        yield from problem_lines(one)
    name = None
    for one in document["things"]:
        if one["detail"] != name:
            name = one["detail"]
            yield f"Real things that the database does not know; each {name}:"
        yield from (f"  {line}" for line in _thing_lines(one))
        yield f"    {one['advice']}"
        yield ""
    for text in document["unseen"]:
        yield f"Not observed: {text.rstrip('.')}."
    counts = [
        _count(len(document["problems"]), document["problems_left_out"], "problem", "problems"),
        _count(len(document["things"]), document["things_left_out"], "unknown thing", "unknown things"),
    ]
    told = ", ".join(text for text in counts if text)
    yield f"{told}: {examined}." if told else f"Nothing is wrong: {examined}."


def problem_lines(one: JsonMap) -> Iterator[str]:
    """One problem: its subject, the reason, the advice."""
    yield _heading(one)
    yield f"  {one['detail']}."
    yield f"  {one['advice']}"
    yield ""


def _count(shown: int, left_out: int, one: str, many: str) -> str:
    count = shown + left_out
    if not count:
        return ""
    more = f" ({left_out} not shown)" if left_out else ""
    return f"{count} {one if count == 1 else many}{more}"


def _heading(one: JsonMap) -> str:
    where = " ".join(dict.fromkeys(part for part in (one["name"], one["subject"]) if part))
    return f"{one['severity']} {one['code']} {one['summary']}: {where}"


def _thing_lines(one: JsonMap) -> Iterator[str]:
    why = "its object has ended" if one["why"] == "ended object" else "no such object is stored"
    yield f"{one['type']} {one['id']}"
    yield f"  marks: {one['logical_id']}, object {one['object_id']} ({why})"
    yield f"  place: account {one['account']}, region {one['region']}; first seen {short_time(one['first_seen'])}"
