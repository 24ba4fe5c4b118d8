"""Plans and diagnostics in the forms that CI systems read: Markdown, GitHub's annotations, GitLab's reports, SARIF.

A comment that grows beyond the limit of its place is cut between two operations, with the count of the missing ones.
Everything that comes from elsewhere is escaped: a name in a template must not become a command of the CI system, and
not a heading, a link or a mention in a comment.
"""

import hashlib
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence

import tenuto
from tenuto.kit.visible import visible, visible_document
from tenuto.model.ids import JsonMap
from tenuto.model.verb import Verb
from tenuto.service.views.plan_text import operations_text, summary_text

LARGEST_COMMENT = 65_536
"""The limit of GitHub for a comment. GitLab takes a million."""
_ROOM = 1_500
"""The characters that are kept for the text around the operations."""
_SARIF_LEVELS = {"error": "error", "warning": "warning"}
_GITLAB_SEVERITIES = {"error": "critical", "warning": "minor"}


def plan_markdown(document: JsonMap) -> str:
    """A plan as a comment: the counts, destructive operations, and the rest folded. Its first line lets it be found
    again."""
    name = document["process"]["alias"] or document["process"]["fid"] or "new"
    operations = list(document["operations"])
    grave = [one for one in operations if one["destructive"]]
    rest = [one for one in operations if not one["destructive"]]
    room = LARGEST_COMMENT - _ROOM
    shown = list(_fitting(grave, room))
    room -= sum(len(_told([one])) + 1 for one in shown)
    more = list(_fitting(rest, room))
    parts = [marker(str(name)), f"### Tenuto: {_inline(document['command'])} {_inline(str(name))}", ""]
    parts.append(f"**{_inline(_counts(document))}**")
    if shown:
        parts += ["", "Deletes or replaces:", "", _fenced(_told(shown))]
    if more:
        parts += [
            "",
            "<details><summary>All other operations</summary>",
            "",
            _fenced(_told(more)),
            "",
            "</details>",
        ]
    missing = len(operations) - len(shown) - len(more)
    if missing:
        parts += ["", f"{missing} more operations do not fit; `tenuto plan {_inline(str(name))}` shows all."]
    for wait in document.get("waits", ()):
        parts += ["", f"Waits: {_inline(wait['message'])}"]
    for warning in document.get("warnings", ()):
        parts += ["", f"Warning: {_inline(warning['message'])}"]
    return "\n".join(parts)


def marker(name: str) -> str:
    """The comment that names the process, so that the next plan takes the place of this one."""
    return f"<!-- tenuto:{re.sub(r'[^A-Za-z0-9._-]', '_', name)} -->"


def plan_github(document: JsonMap) -> str:
    """A plan as annotations: destructive operations at their lines, and the counts."""
    lines = [
        _annotation("warning", one["source"], f"{one['op']} {one['logical_id']}", _told([one]))
        for one in document["operations"]
        if one["destructive"]
    ]
    return "\n".join([*lines, _annotation("notice", None, "Plan", _counts(document))])


def plan_gitlab(document: JsonMap) -> str:
    """A plan as the report of counts that GitLab's widget shows."""
    summary = document["summary"]
    counts = {
        "create": summary[Verb.CREATE.value] + summary[Verb.REPLACE.value] + summary[Verb.ADOPT.value],
        "update": summary[Verb.MODIFY.value] + summary[Verb.REFRESH.value],
        "delete": summary[Verb.DELETE.value] + summary[Verb.REPLACE.value] + summary[Verb.RELEASE.value],
    }
    return json.dumps(counts)


def plan_sarif(document: JsonMap) -> str:
    """The deletions and replacements of a plan, as findings."""
    found = [
        {
            "rule": f"plan-{one['op']}",
            "level": "warning",
            "text": _told([one]),
            "file": one["source"]["file"] if one["source"] else None,
            "line": one["source"]["line"] if one["source"] else None,
            "column": None,
        }
        for one in document["operations"]
        if one["destructive"]
    ]
    return _sarif(found)


PLAN_FORMATS: Mapping[str, Callable[[JsonMap], str]] = {
    "markdown": plan_markdown,
    "github": plan_github,
    "gitlab": plan_gitlab,
    "sarif": plan_sarif,
}
"""The forms of a plan, by the word of `-o`."""


def diagnostics_in(form: str, diagnostics: Sequence[JsonMap]) -> str:
    """Diagnostics of the compiler in a form of CI, each at its file, line and column."""
    found = [_finding(one) for one in diagnostics]
    match form:
        case "github":
            return "\n".join(
                _annotation(
                    "error" if one["level"] == "error" else "warning",
                    {"file": one["file"], "line": one["line"], "column": one["column"]},
                    one["rule"],
                    one["text"],
                )
                for one in found
            )
        case "gitlab":
            return json.dumps([_quality(one) for one in found], indent=2)
        case "sarif":
            return _sarif(found)
        case _:
            rows = [
                f"* **{one['rule']}** {_inline(one['file'] or '')}:{one['line']}: {_inline(one['text'])}"
                for one in found
            ]
            return "\n".join(rows)


def _finding(one: JsonMap) -> JsonMap:
    position = one.get("position") or {}
    return {
        "rule": one["code"],
        "level": _SARIF_LEVELS.get(str(one["severity"]), "note"),
        "text": " ".join(part for part in (one["summary"] + ":", one["detail"], one["hint"]) if part),
        "file": position.get("file"),
        "line": position.get("line"),
        "column": position.get("column"),
    }


def _quality(one: JsonMap) -> JsonMap:
    text = f"{one['rule']} {one['file']} {one['line']} {one['text']}"
    return {
        "description": visible(one["text"]),
        "check_name": one["rule"],
        "fingerprint": hashlib.sha256(text.encode()).hexdigest(),
        "severity": _GITLAB_SEVERITIES.get(one["level"], "info"),
        "location": {"path": one["file"] or "", "lines": {"begin": one["line"] or 1}},
    }


def _sarif(found: Sequence[JsonMap]) -> str:
    rules = sorted({str(one["rule"]) for one in found})
    document = {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {"name": "Tenuto", "version": tenuto.__version__, "rules": [{"id": one} for one in rules]}
                },
                "results": [_result(one) for one in found],
            }
        ],
    }
    return json.dumps(document, indent=2)


def _result(one: JsonMap) -> JsonMap:
    result: JsonMap = {"ruleId": one["rule"], "level": one["level"], "message": {"text": visible(one["text"])}}
    if one["file"] is None:
        return result
    region = {"startLine": one["line"] or 1, **({"startColumn": one["column"]} if one["column"] else {})}
    place = {"artifactLocation": {"uri": one["file"]}, "region": region}
    return {**result, "locations": [{"physicalLocation": place}]}


def _told(operations: Sequence[JsonMap]) -> str:
    """The text of operations, in which no text of others begins a line of its own."""
    return operations_text(visible_document(operations))


def _fitting(operations: Sequence[JsonMap], room: int) -> Iterator[JsonMap]:
    for one in operations:
        room -= len(_told([one])) + 1
        if room < 0:
            return
        yield one


def _counts(document: JsonMap) -> str:
    return summary_text(document["summary"])


def _annotation(kind: str, source: JsonMap | None, title: str, message: str) -> str:
    """A workflow command. In its values, line ends and separators are escaped, so that none can begin another one."""
    where = source or {}
    names = (("file", "file"), ("line", "line"), ("column", "col"))
    given = {theirs: str(where[ours]) for ours, theirs in names if where.get(ours) is not None} | {"title": title}
    properties = ",".join(
        f"{name}={_data(value).replace(':', '%3A').replace(',', '%2C')}" for name, value in given.items()
    )
    return f"::{kind} {properties}::{_data(message)}"


def _data(text: str) -> str:
    return visible(text).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _inline(text: str) -> str:
    """A text inside of a line of Markdown, without any meaning there."""
    line = " ".join(visible(text).split())
    escaped = re.sub(r"([\\`*_\[\]()#|~!])", r"\\\1", line.replace("&", "&amp;").replace("<", "&lt;"))
    return escaped.replace("@", "@\u200b")


def _fenced(text: str) -> str:
    """A block of text. Its fence is longer than any row of ticks inside."""
    shown = visible(text)
    longest = max((len(found) for found in re.findall(r"`+", shown)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}diff\n{shown}\n{fence}"
