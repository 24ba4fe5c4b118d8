"""`tenuto policy …`: the rights of users."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import click

from tenuto.cli.client.target import find_conductor
from tenuto.cli.options.files import ExistingFile
from tenuto.cli.options.groups import group
from tenuto.cli.options.options import command as make_command
from tenuto.cli.options.options import pass_session, yes_option
from tenuto.cli.render.access import render_grants, render_policy, render_revoked
from tenuto.cli.terminal.exits import CommandEnd, Exit
from tenuto.cli.terminal.session import Session
from tenuto.errors import CompileError, UserError
from tenuto.model.access import Policy
from tenuto.model.diagnostic import Diagnostic
from tenuto.model.ids import JsonMap

_FILE = ExistingFile()


@make_command("set", "tenuto policy set policy.yaml")
@click.argument("file", type=_FILE)
@yes_option
@pass_session
def set_policy(session: Session, file: Path) -> None:
    """Set the policy of the Conductor.

    It is in effect at once, in place of the one before. Users whom it does not name lose their secrets; new ones can
    act when 'user generate-secret' has made them one.
    """
    from tenuto.service.access.administration import counted

    text, policy = _compiled(session, file)
    client = find_conductor(session.settings)
    session.confirm(f"Set the policy of {client.url} from {file} ({counted(policy)})?")
    document = client.put("policy", body={"text": text, "file": file.name})
    session.emit(document, lambda found: f"The policy of {file} is now in effect.{render_revoked(found)}")


def _users(document: JsonMap) -> Sequence[str]:
    return list(document["policy"]["users"]) if document["policy"] else []


@make_command("show", "tenuto policy show", names=_users)
@pass_session
def show(session: Session) -> None:
    """Show the policy that holds, as it was set."""
    session.emit(find_conductor(session.settings).get("policy"), render_policy, keeps_lines=True)


@make_command("check", "tenuto policy check policy.yaml")
@click.argument("file", type=_FILE)
@pass_session
def check(session: Session, file: Path) -> None:
    """Compile a policy and show its grants; nothing is sent.

    Every mistake is shown with its line and column; exit 3 when there is one.
    """
    from tenuto.service.access.administration import grant_document

    _, policy = _compiled(session, file)
    document = {"users": list(policy.users), "grants": [grant_document(one) for one in policy.grants]}
    session.emit(document, render_grants)


@make_command("remove", "tenuto policy remove")
@yes_option
@pass_session
def remove(session: Session) -> None:
    """Remove the policy, so that only root may act.

    All users lose their secrets.
    """
    client = find_conductor(session.settings)
    session.confirm(f"Remove the policy of {client.url} and revoke the secrets of all users?")
    session.emit(client.delete("policy"), lambda found: f"There is no policy now.{render_revoked(found)}")


def _compiled(session: Session, file: Path) -> tuple[str, Policy]:
    """The text and its meaning. Raises CommandEnd with exit 3 after every mistake was told."""
    from tenuto.compositions.diagnostics.render import render_diagnostics
    from tenuto.compositions.policies.policy import LARGEST_BYTES, compile_policy

    with file.open("rb") as opened:
        content = opened.read(LARGEST_BYTES + 1)
    try:
        text = content.decode("utf-8", errors="replace" if len(content) > LARGEST_BYTES else "strict")
    except UnicodeDecodeError as error:
        raise UserError(f"{file} is not UTF-8 text (byte {error.start}). Save it as UTF-8.") from error
    try:
        return text, compile_policy(text, file=str(file))
    except CompileError as failed:
        found = [one for one in failed.diagnostics if isinstance(one, Diagnostic)]
        session.say(render_diagnostics(found, color=session.is_live_colored), is_painted=True)
        count = f"{len(found)} error{'' if len(found) == 1 else 's'}"
        details = {"code": failed.code, "diagnostics": [asdict(one) for one in found]}
        raise CommandEnd(Exit.COMPILE, f"{file}: {count}; nothing was sent.", details) from failed


command = group("policy", "Say who may do what.", set_policy, show, check, remove)
