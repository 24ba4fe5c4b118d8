"""The audit log that the settings name: a file, or a daemon of the machine."""

from tenuto.bootstrap.clock import SystemClock
from tenuto.errors import UserError
from tenuto.kit.config_file import DAEMONS
from tenuto.settings import Settings
from tenuto.storage.audit.audit_daemon import AuditDaemon
from tenuto.storage.audit.audit_file import AuditFile


def opened_audit(settings: Settings) -> AuditFile | AuditDaemon | None:
    """Return the log; None when none is named. Raises UserError when it cannot be written."""
    name = settings.audit_log
    if name is None:
        return None
    if str(name) not in DAEMONS:
        return AuditFile(name, clock=SystemClock(), keep_s=settings.audit_keep_s)
    if settings.audit_keep_s is not None:
        raise UserError(f"--audit-keep is about a file: {name} keeps its lines by rules of its own. Leave it out.")
    return AuditDaemon(str(name))
