"""The commands that artifacts and blobs have beside those of every type: `tenuto artifact upload` and its like."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from tenuto.cli.client.client import Client
from tenuto.cli.client.target import find_conductor
from tenuto.cli.objects.declared import declared_object
from tenuto.cli.objects.object_kinds import OBJECT_KINDS
from tenuto.cli.objects.object_waiting import waited
from tenuto.cli.objects.transfers import download as fetch_file
from tenuto.cli.objects.transfers import upload as send_file
from tenuto.cli.options.files import ExistingFile
from tenuto.cli.options.option_times import parse_duration
from tenuto.cli.options.options import command as make_command
from tenuto.cli.options.options import name_argument, pass_session, wait_option, yes_option
from tenuto.cli.render.objects import render_object
from tenuto.cli.terminal.output_forms import listed
from tenuto.cli.terminal.session import Session
from tenuto.cli.terminal.steady_clock import SteadyClock
from tenuto.cli.terminal.tables import table
from tenuto.cli.terminal.terminal import terminal_width
from tenuto.cli.terminal.times import short_time
from tenuto.errors import NotFoundError, UserError
from tenuto.model.account import DEFAULT_ACCOUNT
from tenuto.model.ids import JsonMap

_TYPE = "Artifact"
_KIND = next(one for one in OBJECT_KINDS if one.name == "artifact")
_Body = Callable[..., Any]

_kind_option = click.option(
    "--kind", type=click.Choice(("image", "other")), default="image", show_default=True, help="An image is a disk."
)
_versions_option = click.option(
    "--max-versions", "most", type=click.IntRange(min=1), metavar="COUNT", help="How many versions it keeps; default 3."
)
_account_option = click.option("--account", help="The namespace that it belongs to; default: default.")


@make_command("upload", "tenuto artifact upload base base.qcow2", "tenuto artifact upload --kind other notes notes.txt")
@click.argument("name", metavar="NAME")
@click.argument("file", type=ExistingFile(), metavar="FILE")
@_kind_option
@_versions_option
@_account_option
@pass_session
def upload(session: Session, name: str, file: Path, kind: str, most: int | None, account: str | None) -> None:
    """Send a file, which becomes the next version of an artifact.

    The file goes in parts. An interrupted transfer, also one that the end of this command stopped, goes on where it
    stopped when the command is given again; after a week without a byte it is thrown away. An image is qcow2 without a
    backing file, raw with a partition table, or ISO 9660. A content that you see already is not sent again.
    """
    if not name:
        raise UserError("NAME is empty: give the name of the artifact. Nothing was sent.")
    asked: dict[str, Any] = {"name": name, "kind": kind, "most_versions": most}
    document = send_file(
        session,
        find_conductor(session.settings),
        SteadyClock(),
        account or DEFAULT_ACCOUNT,
        file,
        {member: value for member, value in asked.items() if value is not None},
    )
    session.emit(document, _render_upload)


@make_command("fetch", "tenuto artifact fetch base https://images.example.org/base.qcow2 --wait")
@click.argument("name", metavar="NAME")
@click.argument("url", metavar="URL")
@_kind_option
@click.option("--sha512", metavar="DIGEST", help="The SHA-512 that its content must have.")
@click.option(
    "--refresh", callback=parse_duration, metavar="TIME", help="Ask the URL again so often: seconds, or 1h, 1d."
)
@_versions_option
@_account_option
@wait_option
@pass_session
def fetch(
    session: Session,
    name: str,
    url: str,
    kind: str,
    sha512: str | None,
    refresh: float | None,
    most: int | None,
    account: str | None,
    wait: float | None,
) -> None:
    """Make an artifact of the file at a URL.

    The Conductor fetches it. It is listed at once, and is created when its content is there. With --refresh a changed
    content becomes the next version; a source that is away then leaves the version that there is.
    """
    client = find_conductor(session.settings)
    body: dict[str, Any] = {"name": name, "url": url, "kind": kind, "sha512": sha512, "most_versions": most}
    if refresh is not None:
        body["refresh_s"] = int(refresh)
    document = client.post(
        "namespaces",
        account or DEFAULT_ACCOUNT,
        "artifacts",
        body={member: value for member, value in body.items() if value is not None},
    )
    session.emit(waited(session, client, document, wait), render_object)


@make_command("label", "tenuto artifact label stable base", "tenuto artifact label --account red stable base")
@click.argument("name", metavar="NAME")
@click.argument("source", metavar="ARTIFACT|BLOB")
@_versions_option
@_account_option
@pass_session
def label(session: Session, name: str, source: str, most: int | None, account: str | None) -> None:
    """Make a label, or let one name another content.

    The newest version of the artifact, or the blob, becomes the next version of the label, and is kept as long as the
    label needs it. An artifact of another namespace is named by its id.
    """
    body: dict[str, Any] = {"name": name, "source": source, "most_versions": most}
    document = find_conductor(session.settings).post(
        "namespaces",
        account or DEFAULT_ACCOUNT,
        "labels",
        body={member: value for member, value in body.items() if value is not None},
    )
    session.emit(document, render_object)


@make_command(
    "versions",
    "tenuto artifact versions base",
    "tenuto artifact versions shop/Base",
    names=listed("versions", "version"),
)
@name_argument("reference", "artifact", metavar="PROCESS/RESOURCE|NAME|ID", is_in_process=True)
@pass_session
def versions(session: Session, reference: str) -> None:
    """Show the versions of an artifact, the oldest first."""
    client = find_conductor(session.settings)
    session.emit(client.get("objects", _any_id(client, reference), "versions"), _render_versions)


@make_command("delete-version", "tenuto artifact delete-version base 2")
@name_argument("reference", "artifact", metavar="NAME|ID")
@click.argument("number", type=click.IntRange(min=1), metavar="VERSION")
@yes_option
@pass_session
def delete_version(session: Session, reference: str, number: int) -> None:
    """Delete a version of an artifact. The artifact goes with its last one.

    The number of a version is never used twice. Its content goes an hour after nothing needs it any more.
    """
    client = find_conductor(session.settings)
    found = _id(client, reference)
    session.confirm(f"Delete version {number} of the artifact {reference}?")
    session.emit(client.delete("objects", found, "versions", str(number)), render_object)


@make_command(
    "download", "tenuto artifact download base copy.qcow2", "tenuto artifact download base old.img --version 1"
)
@name_argument("reference", "artifact", metavar="PROCESS/RESOURCE|NAME|ID", is_in_process=True)
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE")
@click.option("--version", "number", type=click.IntRange(min=1), metavar="VERSION", help="Default: the newest.")
@yes_option
@pass_session
def download(session: Session, reference: str, file: Path, number: int | None) -> None:
    """Write the content of an artifact to a file.

    An interrupted transfer goes on where it stopped when the command is given again. The file is there when it is
    complete and its SHA-512 is right, and not before.
    """
    client = find_conductor(session.settings)
    artifact = _any_id(client, reference)
    there = client.get("objects", artifact, "versions")["versions"]
    chosen = [one for one in there if number in (None, one["version"])]
    if not chosen:
        listed = ", ".join(str(one["version"]) for one in there) or "none"
        raise NotFoundError(f"The artifact {reference} has no version {number or ''}. It has {listed}.")
    if file.exists():
        session.confirm(f"Replace {file}?")
    fetch_file(session, client, SteadyClock(), artifact, chosen[-1], file)
    session.emit({**chosen[-1], "file": str(file)}, _render_download)


@make_command("share", "tenuto artifact share base")
@name_argument("reference", "artifact", metavar="NAME|ID")
@yes_option
@pass_session
def share(session: Session, reference: str) -> None:
    """Let all namespaces see and use an artifact of the namespace system."""
    _share(session, reference, f"Share the artifact {reference} with all namespaces?", is_shared=True)


@make_command("unshare", "tenuto artifact unshare base")
@name_argument("reference", "artifact", metavar="NAME|ID")
@yes_option
@pass_session
def unshare(session: Session, reference: str) -> None:
    """End that all namespaces see an artifact. Things that they made of it keep its content."""
    _share(session, reference, f"End that all namespaces see the artifact {reference}?", is_shared=False)


@make_command("verify", "tenuto blob verify 0b1d5f3a-6c1e-4b5e-9f53-0a8d3f6f2c01")
@name_argument("reference", "blob", metavar="ID")
@pass_session
def verify(session: Session, reference: str) -> None:
    """Read the whole file of a blob now, and tell whether it is unchanged.

    The Conductor does the same once a day. Exit 1 for a damaged one: the copy of a host
    mends it in a minute or two, or an upload of the same content.
    """
    from tenuto.cli.terminal.exits import CommandEnd, Exit

    document = find_conductor(session.settings).post("objects", reference, "verify", body={})
    if document["damage"]:
        raise CommandEnd(
            Exit.FAILED,
            f"The blob {reference} is damaged: {document['damage']}. Upload the same content again to mend it; 'tenuto "
            f"blob show {reference}' tells what needs it.",
            dict(document),
        )
    session.emit(document, lambda one: f"The blob {one['id']} is good: {one['fields']['SizeBytes']:,} bytes.")


ARTIFACT_COMMANDS = (upload, fetch, label, versions, delete_version, download, share, unshare)


def _share(session: Session, reference: str, question: str, *, is_shared: bool) -> None:
    client = find_conductor(session.settings)
    artifact = _id(client, reference)
    session.confirm(question)
    session.emit(client.post("objects", artifact, "share", body={"shared": is_shared}), render_object)


def _any_id(client: Client, reference: str) -> str:
    """The id of the artifact that a reference means, also of one that a process declares. Raises ApiProblem."""
    found = declared_object(client, _KIND, reference)
    return str(found["id"]) if found else _id(client, reference)


def _id(client: Client, reference: str) -> str:
    """The id of the artifact that a reference means. Raises ApiProblem."""
    return str(client.get("objects", reference, type=_TYPE)["id"])


def _render_upload(document: JsonMap) -> str:
    one = document["artifact"]
    return f"{one['name']} has version {document['version']} ({one['id']}): {document['size']:,} bytes."


def _render_download(document: JsonMap) -> str:
    return f"{document['file']} is version {document['version']}: {document['size']:,} bytes."


def _render_versions(document: JsonMap) -> str:
    rows = [
        (
            str(one["version"]),
            one["format"],
            f"{one['size']:,}",
            f"{one['virtual_size']:,}",
            one["sha512"][:16],
            one["blob"],
            short_time(one["created"]),
        )
        for one in document["versions"]
    ]
    headings = ("Version", "Format", "Bytes", "Disk", "Sha512", "Blob", "Made")
    return table(headings, rows, width=terminal_width()) or "It has no version yet."
