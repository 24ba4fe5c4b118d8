"""The pages about the Conductor as a whole: events, phases, rates, nodes, accounts, rules, access, types, and find."""

from collections.abc import Sequence
from fnmatch import fnmatchcase

from tenuto.errors import NotFoundError, UserError
from tenuto.model.access import OF_CONDUCTOR, Right
from tenuto.model.event import Event, EventType
from tenuto.model.ids import Instant, JsonMap, PhaseName, TypeName
from tenuto.service.access.administration import policy_document, user_document
from tenuto.service.access.sessions import session_document
from tenuto.service.accounts.accounts_view import accounts_document
from tenuto.service.common.event_page import event_page
from tenuto.service.event_names import event_names
from tenuto.service.intake.validations import validation_document
from tenuto.service.queries.phase_page import LARGEST_PAGE, PhasePageQuery
from tenuto.service.views.catalogue_view import phases_document, type_document, types_document
from tenuto.service.views.history_view import events_document
from tenuto.web.command_line import command_line
from tenuto.web.visit import Visit

_EVENTS = 50
"""Rows of a page: on a phone each is as high as a thumb is long."""
_MOST_EVENTS = 500
_OBJECTS = 50
_EXPORTED = 10_000
_PERIODS = {"1h": 3600.0, "24h": 86_400.0, "7d": 604_800.0}


def events(visit: Visit) -> JsonMap:
    """The events, the newest first."""
    reference, actor, period = visit.text("process"), visit.text("actor"), visit.text("period")
    before = visit.number("before", 0, 10**18)
    page = _events(visit, before or None, visit.number("limit", _EVENTS, _MOST_EVENTS))
    return {
        "events": list(reversed(page["events"])),
        "types": [one.value for one in EventType],
        "periods": list(_PERIODS),
        "filters": {
            "type": visit.text("type"),
            "process": reference,
            "actor": actor,
            "period": period,
            "request": visit.text("request"),
        },
        "command": _command(visit),
        "limit": visit.text("limit"),
        "older": page["older"],
        "before": before,
    }


def _command(visit: Visit) -> str:
    """The command that shows the same events."""
    if request := visit.text("request"):
        return command_line("history", request=request)
    return command_line(
        "events",
        visit.text("process"),
        type=visit.text("type"),
        actor=visit.text("actor"),
        start=visit.text("period"),
        before=visit.text("before"),
    )


def exported_events(visit: Visit) -> JsonMap:
    """The events of the same filters as one document for programs, the oldest first."""
    visit.check(Right.EVENTS)
    return {"events": _events(visit, None, visit.number("limit", _EXPORTED, _EXPORTED))["events"]}


def _events(visit: Visit, before: int | None, limit: int) -> JsonMap:
    """The newest events that the filters let pass and that the user may see, the oldest of them first."""
    types, reference, actor = visit.texts("type"), visit.text("process"), visit.text("actor")
    request = visit.text("request")
    period = visit.text("period")
    if period and period not in _PERIODS:
        raise UserError(f"There is no period {period!r}. There are {', '.join(_PERIODS)}.")
    start = Instant(visit.services.sessions.now() - _PERIODS[period]) if period else None
    fid = visit.services.gatekeeper.process(reference).fid if reference else None
    is_seen = visit.sees(Right.EVENTS)
    if fid is not None and not is_seen(fid):
        raise NotFoundError(f"There is no process {reference!r} of which you may see the events.")

    def read(end: int | None, count: int) -> Sequence[Event]:
        return visit.services.queries.events(fid, request=request, types=types, start=start, before=end, limit=count)

    page = event_page(read, lambda one: is_seen(one.fid) and actor in ("", one.actor), before=before, limit=limit)
    return events_document(page, event_names(visit.services, page.events))


def phases(visit: Visit) -> JsonMap:
    """The phases with their present activity."""
    is_seen = visit.sees(Right.STATUS)
    names = {one.fid: one.alias or one.fid for one in visit.services.queries.processes() if is_seen(one.fid)}
    records = visit.services.queries.phases(None if visit.caller.is_root else is_seen)
    document = phases_document(records, lambda fid: names.get(fid, ""))
    rows = sorted(document["phases"], key=lambda one: (-one["counts"].get("Failed", 0), one["activity"] != "Running"))
    return {"phases": rows}


def phase(visit: Visit) -> JsonMap:
    """One phase, and the objects that it still has to do with."""
    name = visit.path["phase"]
    query = PhasePageQuery(
        phase=PhaseName(name),
        status=visit.text("status"),
        cause=visit.text("cause"),
        after=visit.text("after"),
        limit=visit.number("limit", _OBJECTS, LARGEST_PAGE),
        is_grouped=True,
    )
    document = visit.services.insights.phase_objects(query, visit.sees(Right.STATUS))
    records = phases_document(visit.services.queries.phases(), lambda _: "")["phases"]
    record = next(one for one in records if one["name"] == name)
    states = []
    for state in record["states"]:
        others = [one for one in records if state in one["states"] and set(one["types"]) & {*record["types"], "*"}]
        states.append(
            {"state": state, "phases": sorted(others, key=lambda one: (len(one["dependencies"]), one["name"]))}
        )
    return {
        "phase": record,
        "found": document,
        "states": states,
        "filters": {"status": visit.text("status"), "cause": visit.text("cause")},
        "is_first": not visit.text("after"),
    }


def rates(visit: Visit) -> JsonMap:
    """The pace of each API, and the age of each sweep."""
    sees = visit.sees(Right.STATUS)
    return {
        **visit.services.insights.rates(sees.account),
        "sweeps": visit.services.insights.sweeps(sees.account)["sweeps"],
    }


def accounts(visit: Visit) -> JsonMap:
    return {"accounts": accounts_document(visit.services.commands.accounts.all())["accounts"]}


def rules(visit: Visit) -> JsonMap:
    return {"rules": [validation_document(one) for one in visit.services.validations.rules()]}


def notifications(visit: Visit) -> JsonMap:
    return dict(visit.services.notifications.list())


def access(visit: Visit) -> JsonMap:
    """The policy as a matrix of users and commands in one account, the users, and the open sessions."""
    policy = policy_document(visit.services.administration.policy())["policy"]
    names = [one.account.name for one in visit.services.commands.accounts.all()]
    account = visit.text("account") or (names[0] if names else "default")
    users = [user_document(one) for one in visit.services.administration.users()]
    matrix = [
        {
            "user": user["name"],
            "cells": {
                right.value: _cell(policy["grants"] if policy else [], user["name"], right, account) for right in Right
            },
        }
        for user in users
    ]
    return {
        "policy": policy,
        "users": users,
        "matrix": matrix,
        "rights": [right.value for right in Right],
        "accounts": names,
        "account": account,
        "sessions": [session_document(one) for one in visit.services.sessions.of(visit.caller)],
        "own_session": visit.signed.session.digest,
    }


def me(visit: Visit) -> JsonMap:
    """The user's own sessions and grants."""
    grants = visit.services.administration.grants_of(visit.caller)
    return {
        "sessions": [session_document(one) for one in visit.services.sessions.of(visit.caller)],
        "own_session": visit.signed.session.digest,
        "grants": [
            {
                "commands": sorted(one.rights),
                "accounts": list(one.accounts),
                "aliases": list(one.aliases) if one.aliases is not None else None,
            }
            for one in grants
        ],
    }


def types(visit: Visit) -> JsonMap:
    """The types that can be managed, and those that go through a general interface where one is searched for."""
    document = types_document(visit.services.queries.types())
    text = visit.text("q").casefold()
    more = [name for one in document["more"] for name in one["names"]]
    found = [one for one in document["types"] if text in one["name"].casefold()]
    return {
        "types": found,
        "more_count": len(more),
        "more": [name for name in more if text in name.casefold()][:200] if text else [],
        "q": visit.text("q"),
    }


def type_(visit: Visit) -> JsonMap:
    return {"type": type_document(visit.services.queries.type(TypeName(visit.path["type"])))}


def find(visit: Visit) -> JsonMap:
    text = visit.text("q")
    document = (
        visit.services.insights.find(text, visit.sees(Right.STATUS))
        if text
        else {"query": "", "findings": [], "matching": 0, "message": None}
    )
    return {"found": document, "command": command_line("find", text) if text else ""}


def _cell(grants: list[JsonMap], user: str, right: Right, account: str) -> str:
    """`yes`, `some` where a grant names aliases, or empty."""
    own = [one for one in grants if user in one["users"] and right.value in one["commands"]]
    if right in OF_CONDUCTOR:
        return "yes" if own else ""
    here = [one for one in own if any(fnmatchcase(account, pattern) for pattern in one["accounts"])]
    if any(one["aliases"] is None for one in here):
        return "yes"
    return "some" if here else ""
