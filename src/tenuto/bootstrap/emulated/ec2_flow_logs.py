"""Flow logs in a folder of a bucket, which moto takes for a part of the bucket's name, and the form of their files."""

from typing import Any

from moto.ec2.models.flow_logs import FlowLogsBackend
from moto.ec2.responses import EC2Response

_create_calls: Any = EC2Response.create_flow_logs
_create: Any = FlowLogsBackend.create_flow_logs


def _with_folder(self: Any, **given: Any) -> Any:
    """The creation, for which moto sees the bucket alone; the whole destination is shown."""
    whole = given["log_destination"]
    if given["log_destination_type"] == "s3":
        given["log_destination"] = whole.split("/", 1)[0]
    made, failed = _create(self, **given)
    for one in made:
        one.log_destination = whole
    return made, failed


def _with_form(self: Any) -> Any:
    """The creation, of which the form of the files is kept."""
    answer = _create_calls(self)
    for one in answer.result["FlowLogIds"]:
        self.ec2_backend.flow_logs[one].destination_options = self._get_param("DestinationOptions")
    return answer


def add() -> None:
    """Add them to moto, in this process."""
    setattr(FlowLogsBackend, "create_flow_logs", _with_folder)  # noqa: B010
    setattr(EC2Response, "create_flow_logs", _with_form)  # noqa: B010
