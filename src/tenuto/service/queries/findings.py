"""The meaning of a name or an id: a process, a resource, a host, a provider operation, or a thing that is not known."""

from collections.abc import Callable, Iterator
from functools import cache

from tenuto.model.command import ProcessState
from tenuto.model.event import Event
from tenuto.model.ids import Fid, JsonMap
from tenuto.model.node import HOST_TYPE
from tenuto.ports.marks import Marks
from tenuto.ports.store import Store
from tenuto.ports.store_reads import EventQuery
from tenuto.service.common.values import time_text

MOST = 50
"""The findings that are shown: more are no answer to a question."""
MOST_READ = 1000
"""The objects and events that are read, of which the reader may see some."""
SHORTEST = 2
LONGEST = 500
NameOf = Callable[[Fid | None], str | None]


def findings_document(store: Store, marks: Marks, text: str, is_seen: Callable[[Fid | None], bool]) -> JsonMap:
    """All that a text names and that the reader may see: processes first. An ARN is also read as the id at its end."""
    text = text[:LONGEST]
    found = list(_found(store, marks, text, is_seen)) if len(text) >= SHORTEST else []
    unique = list({(one["kind"], one["fid"], one["name"], one["id"], one["at"]): one for one in found}.values())
    return {
        "query": text,
        "findings": unique[:MOST],
        "matching": len(unique),
        "message": _message(text, len(unique)) or None,
    }


def _found(store: Store, marks: Marks, text: str, is_seen: Callable[[Fid | None], bool]) -> Iterator[JsonMap]:
    @cache
    def name_of(fid: Fid | None) -> str | None:
        process = store.process(fid) if fid else None
        return (process.alias or process.fid) if process else fid

    yield from _processes(store, text, is_seen)
    for name in _names(text):
        yield from _objects(store, name, is_seen, name_of)
    yield from _requests(store, text, is_seen, name_of)
    for one in marks.things():
        if one.physical_id in _names(text) and is_seen(one.owner.fid):
            yield {
                "kind": "unknown thing",
                "name": one.physical_id,
                "fid": one.owner.fid,
                "process": name_of(one.owner.fid),
                "logical_id": one.owner.logical_id,
                "type": one.type,
                "id": one.physical_id,
                "state": None,
                "account": one.partition.account,
                "at": time_text(one.first_seen),
            }


def _message(text: str, matching: int) -> str:
    """The words about findings that are not shown; empty where all are."""
    if matching > MOST:
        more = " or more" if matching >= MOST_READ else ""
        return f"{MOST} of {matching:,}{more} are shown: narrow the words."
    if matching:
        return ""
    if len(text) < SHORTEST:
        return f"Type at least {SHORTEST} characters of a name, an id, an ARN or a request id."
    return (
        f"Nothing that Tenuto manages is called {text}. It is not Tenuto's, you may not see it, or its history was "
        "removed. 'tenuto import TYPE ID' describes a thing that exists."
    )


def _names(text: str) -> tuple[str, ...]:
    if not text.startswith("arn:"):
        return (text,)
    last = text.rpartition(":")[2]
    return tuple(dict.fromkeys((text, last, last.rpartition("/")[2])))


def _processes(store: Store, text: str, is_seen: Callable[[Fid | None], bool]) -> list[JsonMap]:
    lowered = text.casefold()
    found = [
        one
        for one in store.processes()
        if lowered in (one.alias or "").casefold() or one.fid.casefold().startswith(lowered)
    ]
    gone = store.process(text)
    if gone is not None and gone.state is ProcessState.GONE:
        found.append(gone)
    found.sort(key=lambda one: (one.alias != text, one.alias or one.fid))
    return [
        {
            "kind": "process",
            "name": one.alias or one.fid,
            "fid": one.fid,
            "process": one.alias or one.fid,
            "logical_id": None,
            "type": one.composition_name,
            "id": one.fid,
            "state": one.state.value,
            "account": one.partition.account,
            "at": time_text(one.created_at),
        }
        for one in found
        if is_seen(one.fid)
    ]


def _objects(store: Store, text: str, is_seen: Callable[[Fid | None], bool], name_of: NameOf) -> list[JsonMap]:
    return [
        {
            "kind": "host" if one.type == HOST_TYPE else "resource" if one.kind == "object" else one.kind,
            "name": one.logical_id or one.type,
            "fid": one.fid,
            "process": name_of(one.fid),
            "logical_id": one.logical_id or None,
            "type": one.type,
            "id": one.physical_id or one.text,
            "state": one.state or None,
            "account": one.account,
            "at": time_text(one.at),
        }
        for one in store.find(text, MOST_READ)
        if is_seen(one.fid)
    ]


def _requests(store: Store, text: str, is_seen: Callable[[Fid | None], bool], name_of: NameOf) -> list[JsonMap]:
    """The API request of that id, where it caused anything that the reader may see: one line for each process."""
    firsts: dict[Fid | None, Event] = {}
    for one in store.events(EventQuery(request=text, limit=MOST_READ)):
        if is_seen(one.fid):
            firsts.setdefault(one.fid, one)
    return [
        {
            "kind": "request",
            "name": text,
            "fid": fid,
            "process": name_of(fid),
            "logical_id": None,
            "type": first.data.get("command") or first.type.value,
            "id": text,
            "state": None,
            "account": None,
            "at": time_text(first.at),
        }
        for fid, first in firsts.items()
    ]
