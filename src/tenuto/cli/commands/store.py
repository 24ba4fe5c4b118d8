"""`tenuto store COMMAND`."""

from pathlib import Path

import click

from tenuto.cli.options.groups import group
from tenuto.cli.options.options import command as make_command
from tenuto.cli.options.options import pass_session
from tenuto.cli.render.store import render_backup, render_check
from tenuto.cli.terminal.exits import Exit
from tenuto.cli.terminal.session import Session

_DATABASE = click.option("--database", help="The database file, or its URL (TENUTO_DATABASE).")


@make_command(
    "backup",
    "tenuto store backup backup-2026-01-31.db",
    "tenuto store backup /mnt/backup/tenuto.db --with-key --database /var/lib/tenuto/tenuto.db",
    "tenuto store backup /mnt/backup/monday.db --with-blobs",
)
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--with-key", is_flag=True, help="Copy the key file too, to FILE.key: both together open every secret.")
@click.option("--with-blobs", is_flag=True, help="Copy the contents of images too, to the folder FILE.blobs.")
@_DATABASE
@pass_session
def _backup(session: Session, file: Path, with_key: bool, with_blobs: bool, database: str | None) -> int:
    """Copy the database, while a Conductor works on it or not.

    For users who may read the database file, on its machine. FILE is of one moment and complete by itself, mode 0600;
    nothing is overwritten. Neither the key of the sealed values nor the contents of images (blobs) are in it, unless
    they are asked for. Their folder has the name of FILE without its ending, and .blobs. Exit code 11 when a blob is
    damaged, which is left out.
    """
    from tenuto.bootstrap.tools.store_files import back_up_store

    document = back_up_store(database or session.settings.database, file, with_key=with_key, with_blobs=with_blobs)
    session.emit(document, render_backup)
    return Exit.UNSOUND if document["blobs"] and document["blobs"]["damaged"] else Exit.DONE


@make_command(
    "check",
    "tenuto store check",
    "tenuto store check backup-2026-01-31.db --key /root/tenuto.db.key",
)
@click.argument("file", required=False, metavar="[FILE]")
@click.option("--key", type=click.Path(path_type=Path), metavar="FILE", help="Its key file, when it is not FILE.key.")
@_DATABASE
@pass_session
def _check(session: Session, file: str | None, key: Path | None, database: str | None) -> int:
    """Check a database file or a backup, and show its content.

    The file is read as a whole, with or without a Conductor at work: whether it is damaged, the problems that 'tenuto
    doctor' finds in its processes, and whether its key opens the sealed values. The blobs beside it are read as a
    whole, too. The table shows the kept part of each kind of history, and the removed one. Exit code 11 when anything
    is wrong. Nothing is changed.
    """
    from tenuto.bootstrap.tools.store_files import check_store

    if file is not None and database is not None:
        raise click.UsageError("FILE and --database name the same thing: use one of them.")
    document = check_store(file or database or session.settings.database, key)
    session.emit(document, render_check)
    return Exit.DONE if document["sound"] else Exit.UNSOUND


command = group("store", "Back up a database file, and check one.", _backup, _check)
