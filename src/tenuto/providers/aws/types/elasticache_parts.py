"""The parts that types of ElastiCache have in common."""

from collections.abc import Mapping
from dataclasses import dataclass

from tenuto.model.ids import Json, JsonMap
from tenuto.providers.aws.blocks.calls import Call
from tenuto.providers.aws.blocks.exchanged import Exchanged
from tenuto.providers.aws.blocks.parts import Shown
from tenuto.providers.aws.blocks.thing import Thing
from tenuto.providers.aws.blocks.wire import sent
from tenuto.providers.aws.client.names import generated_name
from tenuto.providers.aws.kind import Work
from tenuto.providers.aws.types.tag_calls import TagCalls

SERVICE = "elasticache"
AT_ONCE: JsonMap = {"ApplyImmediately": True}
TAGS = TagCalls(
    service=SERVICE,
    put_call="AddTagsToResource",
    remove_call="RemoveTagsFromResource",
    id_name="ResourceName",
    listed_as="TagList",
    named=lambda _, shown: shown["ARN"],
)
_LOGS = "LogDeliveryConfigurations"


def text_at(path: str) -> str:
    """The path of a number in an answer, which CloudFormation gives as a text."""
    return f"{path} && to_string({path})"


def last_snapshot(work: Work) -> JsonMap:
    """The parameter of a deletion that makes a last snapshot, where the deletion policy asks for one."""
    has_any = work.request.properties.get("Engine") != "memcached"
    return (
        {"FinalSnapshotIdentifier": generated_name(work.request, 40)} if work.request.keeps_snapshot and has_any else {}
    )


@dataclass(frozen=True, kw_only=True)
class Logs(Shown):
    """The logs that are delivered somewhere. One that goes is turned off by its kind."""

    write_by: Call
    create: str

    @property
    def properties(self) -> frozenset[str]:
        return frozenset({_LOGS})

    def read(self, thing: Thing) -> dict[str, Json]:
        shown = thing.answer.get(_LOGS) or ()
        return {_LOGS: [{name: one[name] for name in one if name not in ("Message", "Status")} for one in shown]}

    def at_birth(self, work: Work) -> dict[str, Json]:
        return sent(work.client.input_of(SERVICE, self.create), work.given(_LOGS), {})

    def repair(self, work: Work, service: str, words: str) -> None:
        if not work.differs(_LOGS):
            return
        wanted, present = list(work.want(_LOGS)), list(work.seen(_LOGS) or ())
        kept = {one["LogType"] for one in wanted}
        off = [{"LogType": one["LogType"], "Enabled": False} for one in present if one["LogType"] not in kept]
        given = sent(work.client.input_of(service, self.write_by.operation), {_LOGS: wanted}, {})
        about = self.write_by.about(words, work.id)
        work.change(service, self.write_by.operation, **about, **{_LOGS: [*given[_LOGS], *off]})

    def changes(self, service: str) -> Mapping[str, str]:
        return {_LOGS: f"{service}:{self.write_by.operation}"}


def ids(name: str, write_by: Call) -> Exchanged:
    """A list of ids, in the words of ElastiCache for those that come and go."""
    return Exchanged(name=name, write_by=write_by, come="{}ToAdd", go="{}ToRemove")
