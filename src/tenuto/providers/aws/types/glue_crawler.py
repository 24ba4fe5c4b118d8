"""AWS::Glue::Crawler: it reads places, and writes tables about them into the data catalog. Its Ref is its name.

Glue changes and deletes no crawler that runs: the work waits until it has ended its run.
"""

from collections.abc import Callable
from dataclasses import replace

from tenuto.model.ids import Json
from tenuto.model.outcome import Outcome, Pending
from tenuto.providers.aws.blocks.block import block
from tenuto.providers.aws.blocks.calls import Call, Listed
from tenuto.providers.aws.comparisons import POLICY
from tenuto.providers.aws.kind import AwsType, Work
from tenuto.providers.aws.naming import ROLE
from tenuto.providers.aws.types.glue import glue_tags
from tenuto.providers.aws.types.named import Named

_SERVICE = "glue"
_IDLE = "READY"
_ASK_AGAIN_S = 10.0
"""A run takes minutes."""


def _expression(schedule: Json) -> Json:
    """The schedule as a call takes it: the text alone."""
    return schedule.get("ScheduleExpression")


def _when_idle(act: Callable[[Work], Outcome]) -> Callable[[Work], Outcome]:
    """The act on a crawler that does not run."""

    def waiting(work: Work) -> Outcome:
        state = work.read(_SERVICE, "GetCrawler", Name=work.id)["Crawler"].get("State")
        if state != _IDLE:
            return Pending(message=f"{work.id} is still {str(state).lower()}", delay_s=_ASK_AGAIN_S, is_held=True)
        return act(work)

    return waiting


_BLOCK = block(
    "AWS::Glue::Crawler",
    _SERVICE,
    key="Name",
    listed=Listed(operation="GetCrawlers", id="Name", size=100),
    asked=Call("GetCrawler"),
    named=Named("Name", 255),
    create="CreateCrawler",
    sent_as={"Schedule": _expression},
    modify={"UpdateCrawler": "*"},
    delete="DeleteCrawler",
    tags=glue_tags("crawler"),
    compare_as={"Configuration": POLICY, "Role": ROLE},
    defaults={"Classifiers": [], "Description": "", "TablePrefix": ""},
)
assert _BLOCK.modify is not None
assert _BLOCK.delete is not None
CRAWLER: AwsType = replace(_BLOCK, modify=_when_idle(_BLOCK.modify), delete=_when_idle(_BLOCK.delete))
TYPES = (CRAWLER,)
