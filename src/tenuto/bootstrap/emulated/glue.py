"""Changes of jobs of AWS Glue."""

from typing import Any

from moto.core.utils import camelcase_to_underscores
from moto.glue.responses import GlueResponse

from tenuto.bootstrap.emulated.added import added

_SPARED = (
    *("Connections", "DefaultArguments", "Description", "LogUri", "NonOverridableArguments"),
    *("NotificationProperty", "SecurityConfiguration"),
)
"""The members that are nothing where an update does not name them."""


def _update_job(self: Any, sent: dict[str, Any]) -> dict[str, Any]:
    job = self.glue_backend.get_job(sent["JobName"])
    # The update replaces the job as a whole.
    for name, value in {**dict.fromkeys(_SPARED), **sent["JobUpdate"]}.items():
        setattr(job, camelcase_to_underscores(name), value)
    return {"JobName": job.name}


def add() -> None:
    """Add the call."""
    added(GlueResponse, update_job=_update_job)
