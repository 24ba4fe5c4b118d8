"""Notifications as messages of chats: Slack's blocks, and the cards that Teams takes from a workflow.

A message tells the event, its subject, and the user who caused it, and links to its page where the Conductor has a
public URL. It has no button that acts: who may act is decided by Tenuto, and not by a chat. It holds no value of a
property. All texts in it come from elsewhere, so they are escaped: a name must not become a link or a mention. The
address of the link is ours, and is made of our URL and of encoded parts.
"""

import re
from urllib.parse import quote

from tenuto.kit.visible import one_line
from tenuto.model.ids import JsonMap
from tenuto.model.notification import SinkForm

_LONGEST = 600
"""The characters of a text; the history has all of it."""
_MOST_OPERATIONS = 10
_OF_CONDUCTOR = "conductor"
"""The type of events about the Conductor itself. It tells nothing of them, and their reason tells all."""
_SIGNS = {"FAILED": "✕", "HALTED": "⏸", "SUCCEEDED": "✓"}


def message_of(form: SinkForm, document: JsonMap) -> JsonMap:
    """The body of a request. The plain form is the document itself."""
    match form:
        case SinkForm.JSON:
            return document
        case SinkForm.SLACK:
            return _slack(document)
        case SinkForm.TEAMS:
            return _teams(document)


def headline(document: JsonMap) -> str:
    """`✓ shop: update SUCCEEDED, 1 modify`."""
    process = document.get("process") or {}
    name = process.get("alias") or process.get("fid") or "Conductor"
    job = document.get("job")
    if job is not None:
        counts = ", ".join(f"{count} {verb}" for verb, count in job["counts"].items() if count and verb != "unchanged")
        sign = _SIGNS.get(str(job["status"]), "•")
        return f"{sign} {name}: {job['command']} {job['status']}{f', {counts}' if counts else ''}"
    return f"• {name}: {_happened(document, name)}"


def _happened(document: JsonMap, name: str) -> str:
    """The words for an event that is not the end of a job: `kill given`, `proposal 41 (update) Open`."""
    kind, data = str(document["type"]), document.get("data") or {}
    if kind == _OF_CONDUCTOR:
        return str(document.get("reason") or kind)
    command, number = data.get("command"), data.get("proposal")
    subject = document.get("subject") or ""
    about = f" {subject}" if subject and subject != name else ""
    proposal = f"proposal {number} ({command})"
    match kind:
        case "command.given" | "command.refused" | "command.denied" if command:
            return f"{command} {kind.partition('.')[2]}{about}"
        case "proposal.state" if number:
            return f"{proposal} {document.get('after')}"
        case "approval.overridden" if command:
            return f"the approval of {proposal if number else command} was overridden"
    change = f": {document['before'] or 'new'} → {document['after']}" if document.get("after") else ""
    return f"{kind}{about}{change}"


def details(document: JsonMap) -> list[str]:
    """The lines below the headline."""
    process, job = document.get("process") or {}, document.get("job") or {}
    place = " · ".join(part for part in (process.get("account"), process.get("region")) if part)
    operations = list(job.get("operations", ()))
    lines = [f"{one.get('op', '')} {one.get('logical_id', '')}".strip() for one in operations[:_MOST_OPERATIONS]]
    left_out = len(operations) - len(lines) + int(job.get("operations_left_out", 0))
    lines += [f"and {left_out} more"] if left_out else []
    lines += [_drifted(document)] if document.get("type") == "drift.found" else []
    why = job.get("message") or (document.get("reason") if document.get("type") != _OF_CONDUCTOR else "")
    who = f"by {document['actor']}" if document.get("actor") else ""
    return [
        line
        for line in (_cut(str(why)) if why else "", *lines, " · ".join(part for part in (place, who) if part))
        if line
    ]


def _drifted(document: JsonMap) -> str:
    """The paths of a drift, without their values."""
    data = document.get("data") or {}
    paths = [str(one) for one in data.get("paths", ())]
    more = [f"and {len(paths) - _MOST_OPERATIONS} more"] if len(paths) > _MOST_OPERATIONS else []
    told = ", ".join((*paths[:_MOST_OPERATIONS], *more))
    return f"{data.get('kind', '')}{f': {told}' if told else ''}"


def _link(document: JsonMap) -> tuple[str, str] | None:
    """The address of the page that a message is about, and the words for it."""
    url = document.get("url")
    if not url:
        return None
    number = (document.get("data") or {}).get("proposal")
    process = document.get("process") or {}
    return str(url), f"Proposal {number}" if number else f"Process {process.get('alias') or process.get('fid') or ''}"


def _slack(document: JsonMap) -> JsonMap:
    head, lines = _for_slack(headline(document)), [_for_slack(line) for line in details(document)]
    if link := _link(document):
        lines.append(f"<{_encoded(link[0])}|{_for_slack(link[1])}>")
    blocks: list[JsonMap] = [{"type": "section", "text": {"type": "mrkdwn", "text": f"*{head}*"}}]
    if lines:
        blocks.append({"type": "context", "elements": [{"type": "mrkdwn", "text": "\n".join(lines)}]})
    return {"text": head, "blocks": blocks}


def _teams(document: JsonMap) -> JsonMap:
    texts = [_for_teams(line) for line in details(document)]
    if link := _link(document):
        texts.append(f"[{_for_teams(link[1])}]({_encoded(link[0])})")
    body: list[JsonMap] = [
        {"type": "TextBlock", "weight": "Bolder", "wrap": True, "text": _for_teams(headline(document))}
    ]
    body += [{"type": "TextBlock", "wrap": True, "spacing": "None", "isSubtle": True, "text": text} for text in texts]
    card = {
        "$schema": "http://adaptivecards.io/schemas/adaptive-card.json",
        "type": "AdaptiveCard",
        "version": "1.4",
        "body": body,
    }
    return {
        "type": "message",
        "attachments": [{"contentType": "application/vnd.microsoft.card.adaptive", "content": card}],
    }


def _encoded(url: str) -> str:
    """A URL in which no letter ends a link."""
    return quote(url, safe=":/%[]@")


def _for_slack(text: str) -> str:
    """A text in which nothing is a link, a mention or a style."""
    escaped = one_line(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return re.sub(r"([*_~`])", "\u200b\\1", escaped)


def _for_teams(text: str) -> str:
    return re.sub(r"([\\*_\[\]()#~`>|<])", r"\\\1", one_line(text))


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}… ({len(text) - _LONGEST} more characters)"
