"""What the doctor found, as text for people."""

from collections.abc import Iterator

from tenuto.model.ids import JsonMap


def render_examination(document: JsonMap) -> str:
    """Every problem with what it is about, why it is one and what to do; or that there is none."""
    return "\n".join(_lines(document))


def _lines(document: JsonMap) -> Iterator[str]:
    examined = f"{document['examined']} process{'' if document['examined'] == 1 else 'es'} examined"
    if not document["problems"]:
        yield f"Nothing is wrong: {examined}."
        return
    for one in document["problems"]:
        yield _heading(one)
        yield f"  {one['detail']}."
        yield f"  {one['advice']}"
        yield ""
    count = len(document["problems"]) + document["problems_left_out"]
    more = f", of which {document['problems_left_out']} are not shown" if document["problems_left_out"] else ""
    yield f"{count} problem{'' if count == 1 else 's'}{more}: {examined}."


def _heading(one: JsonMap) -> str:
    where = " ".join(dict.fromkeys(part for part in (one["name"], one["subject"]) if part))
    return f"{one['severity']} {one['code']} {one['summary']}: {where}"
