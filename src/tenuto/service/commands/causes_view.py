"""The view of the processes that one cause suspended."""

from tenuto.model.ids import JsonMap
from tenuto.model.process import Process
from tenuto.service.commands.causes import CauseView


def causes_document(view: CauseView, *, is_done: bool) -> JsonMap:
    """Return causes as one document. `resumed` says whether the processes are resumed, or would be. Those that are left
    out are told with why.
    """
    return {
        "causes": list(view.causes),
        "resumed": is_done,
        "processes": [_process(one) for one in view.processes],
        "left_out": [{**_process(one.process), "why": one.why} for one in view.left_out],
        "hidden": view.hidden,
    }


def _process(process: Process) -> JsonMap:
    return {
        "fid": process.fid,
        "alias": process.alias,
        "account": process.partition.account,
        "region": process.partition.region,
        "state": process.state.value,
        "causes": list(process.causes),
        "last_message": process.last_message or None,
    }
