"""`tenuto image COMMAND`."""

from pathlib import Path

import click

from tenuto.cli.options.files import NewFile
from tenuto.cli.options.groups import group
from tenuto.cli.options.options import command as make_command
from tenuto.cli.options.options import pass_session
from tenuto.cli.terminal.session import Session
from tenuto.model.ids import JsonMap

_MIB = 1 << 20


@make_command("build", "tenuto image build tiny -o tiny.qcow2")
@click.argument("name", metavar="NAME", type=click.Choice(["tiny"]))
@click.option(
    "-o",
    "--output",
    "target",
    required=True,
    type=NewFile(),
    metavar="FILE",
    help="The file to write.",
)
@pass_session
def _build(session: Session, name: str, target: Path) -> None:
    """Build an image for virtual machines from packages of Debian.

    NAME is tiny: a kernel, busybox and the guest agent of QEMU, in about 20 MB. It needs no root and no virtual
    machine, but apt-get with its sources. The fetched and built files are kept, so a second build is a copy.
    """
    from tenuto.bootstrap.tools.image_builder import build_tiny

    session.emit(build_tiny(target, session.say), _render)


def _render(built: JsonMap) -> str:
    how = "copied from the cache" if built["is_from_cache"] else "built"
    return f"{built['file']}: {how}, {built['size_bytes'] / _MIB:.1f} MiB, sha512 {built['sha512'][:16]}…"


command = group("image", "Build images for virtual machines.", _build)
