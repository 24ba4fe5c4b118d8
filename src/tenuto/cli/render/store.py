"""A database file, as text for people: the copied parts, its content, its problems."""

from collections.abc import Iterator

from tenuto.cli.render.doctor import problem_lines
from tenuto.cli.terminal.tables import table
from tenuto.cli.terminal.terminal import terminal_width
from tenuto.cli.terminal.times import short_time
from tenuto.model.ids import JsonMap

_UNITS = ("B", "KB", "MB", "GB", "TB")


def render_backup(document: JsonMap) -> str:
    """Return the text that names the file of the copy, and the key that opens it."""
    lines = [f"{document['database']} is copied to {document['file']} ({size_text(document['bytes'])})."]
    if document["key"]:
        lines.append(f"Its key is in {document['key']}: both together open every sealed value.")
    elif document["key_of_database"]:
        lines.append(f"The copy needs the key {document['key_of_database']}: keep a copy of that apart from it.")
    lines += _blob_lines(document)
    lines.append(f"'tenuto store check {document['file']}' checks it.")
    return "\n".join(lines)


def _blob_lines(document: JsonMap) -> Iterator[str]:
    copied, there = document["blobs"], document["blobs_of_database"]
    if copied is None:
        if there["count"]:
            yield (
                f"Its {_counted(there['count'])} in {there['folder']} ({size_text(there['bytes'])}) "
                f"{'is' if there['count'] == 1 else 'are'} not in the copy: --with-blobs copies them, too."
            )
        return
    if copied["count"]:
        size = size_text(copied["bytes"])
        yield f"{_counted(copied['count'])} ({size}) in {copied['folder']}: restore both together."
    for sha512 in copied["damaged"]:
        yield f"error: the blob {sha512[:16]}… is damaged and was left out: upload the same content again."


def _counted(count: int) -> str:
    return "1 blob" if count == 1 else f"{count} blobs"


def render_check(document: JsonMap) -> str:
    """The faults, the room of each kind, and the verdict."""
    return "\n".join(_check_lines(document))


def size_text(count: int | None) -> str:
    """Bytes for people; empty when they are not known."""
    if count is None:
        return ""
    size, unit = float(count), 0
    while size >= 1000 and unit < len(_UNITS) - 1:
        size, unit = size / 1000, unit + 1
    return f"{size:.0f} {_UNITS[unit]}" if unit == 0 or size >= 10 else f"{size:.1f} {_UNITS[unit]}"


def _check_lines(document: JsonMap) -> Iterator[str]:
    if document["kinds"]:
        rows = [
            (
                one["kind"],
                "" if one["rows"] is None else str(one["rows"]),
                size_text(one["bytes"]),
                short_time(one["oldest"]) if one["oldest"] else "",
                str(one["removed"] or ""),
                short_time(one["removed_until"]) if one["removed_until"] else "",
            )
            for one in document["kinds"]
        ]
        headings = ("Kind", "Rows", "Size", "Oldest", "Removed", "Up to")
        yield table(headings, rows, width=terminal_width())
        yield ""
    for text in document["faults"]:
        yield f"error: {text}."
    for one in document["problems"]:
        yield from problem_lines(one)
    yield from document["notes"]
    count = document["examined"]
    examined = "" if count is None else f", {count} {'process' if count == 1 else 'processes'} examined"
    opened = f", {document['sealed']} sealed values opened" if document["key"] and document["sound"] else ""
    head = f"{document['file']} ({size_text(document['bytes'])}, schema {document['schema']})"
    count = len(document["faults"]) + len(document["problems"])
    verdict = "nothing is wrong" if document["sound"] else f"{count} {'problem' if count == 1 else 'problems'}"
    yield f"{head}: {verdict}{examined}{opened}."
