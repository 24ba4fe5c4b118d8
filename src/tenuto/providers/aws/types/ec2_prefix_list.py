"""AWS::EC2::PrefixList: a list of address ranges with a name. Its Ref is its id.

A list takes one change at a time: its size, or its entries. So each step of a change follows from the state that EC2
shows just then; it refuses the next one until the last is carried out, and the act goes on from there.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from tenuto.model.ids import Json, JsonMap
from tenuto.model.resource import Comparison
from tenuto.providers.aws.blocks.block import block
from tenuto.providers.aws.blocks.calls import Call, Listed, State
from tenuto.providers.aws.blocks.parts import Plain, Shown
from tenuto.providers.aws.blocks.thing import Thing
from tenuto.providers.aws.client.answers.answers import only
from tenuto.providers.aws.client.answers.pages import ec2
from tenuto.providers.aws.client.client import AccountClient
from tenuto.providers.aws.kind import Work

_LISTS, _MODIFY = "DescribeManagedPrefixLists", "ModifyManagedPrefixList"
_ENTRIES, _SIZE, _NAME = "Entries", "MaxEntries", "PrefixListName"
_PAGES = ec2("GetManagedPrefixListEntries", _ENTRIES, 100)
_AT_ONCE = 100
"""EC2 takes so many entries in one call."""


def _entries(client: AccountClient, one: str) -> list[JsonMap]:
    """The entries of a list. EC2 shows an empty text where there is no description."""
    shown = client.pages(_PAGES, PrefixListId=one)
    return [{name: value for name, value in entry.items() if value} for entry in shown]


def _wanted(work: Work) -> list[JsonMap]:
    return [dict(entry) for entry in work.want(_ENTRIES) or ()]


class _Size(Shown):
    """The name and the size, which the list of all shows."""

    properties = frozenset({_NAME, _SIZE})

    def read(self, thing: Thing) -> dict[str, Json]:
        return {name: thing.answer[name] for name in (_NAME, _SIZE) if name in thing.answer}


@dataclass(frozen=True, kw_only=True)
class _Entries(Plain):
    """The entries, with the one call that changes entries, name and size."""

    @property
    def properties(self) -> frozenset[str]:
        return frozenset({_ENTRIES})

    def read(self, thing: Thing) -> dict[str, Json]:
        return {_ENTRIES: _entries(thing.client, thing.id)}

    def at_birth(self, work: Work) -> dict[str, Json]:
        wanted = _wanted(work)
        size = work.want(_SIZE)
        given = {_NAME: work.need(_NAME), _SIZE: int(size) if size is not None else max(len(wanted), 1)}
        return {**given, _ENTRIES: wanted[:_AT_ONCE]} if wanted else given

    def repair(self, work: Work, service: str, words: str) -> None:
        if not any(work.differs(name) for name in (_ENTRIES, _NAME, _SIZE)):
            return
        size = work.want(_SIZE)
        if size is not None and int(size) > _shown(work)[_SIZE]:
            self._change(work, {_SIZE: int(size)})
        while step := self._step(work):
            self._change(work, {**step, "CurrentVersion": _shown(work)["Version"]})
        shown = _shown(work)
        if size is not None and int(size) < shown[_SIZE]:
            self._change(work, {_SIZE: int(size)})
        if shown[_NAME] != work.need(_NAME):
            self._change(work, {})

    def _step(self, work: Work) -> dict[str, Json]:
        """The next change of entries; none where they are as wanted, or not declared."""
        if work.want(_ENTRIES) is None:
            return {}
        present, wanted = _entries(work.client, str(work.id)), _wanted(work)
        dropped = [{"Cidr": one["Cidr"]} for one in present if one not in wanted][:_AT_ONCE]
        if dropped:
            return {"RemoveEntries": dropped}
        added = [one for one in wanted if one not in present][:_AT_ONCE]
        return {"AddEntries": added} if added else {}

    def _change(self, work: Work, given: JsonMap) -> None:
        work.change("ec2", _MODIFY, PrefixListId=work.id, PrefixListName=work.need(_NAME), **given)

    def changes(self, service: str) -> Mapping[str, str]:
        return dict.fromkeys((_ENTRIES, _NAME, _SIZE), f"{service}:{_MODIFY}+")


def _shown(work: Work) -> JsonMap:
    shown = only(work.read("ec2", _LISTS, PrefixListIds=[work.id]), "PrefixLists")
    found: JsonMap = shown
    return found


PREFIX_LIST = block(
    "AWS::EC2::PrefixList",
    "ec2",
    key="PrefixListId",
    listed=Listed(operation=_LISTS, id="PrefixListId", size=100, by_id="prefix-list-id"),
    asked=Call(_LISTS, key="PrefixListIds[]"),
    create="CreateManagedPrefixList",
    made="PrefixList.PrefixListId",
    token="ClientToken",
    attributes={"Arn": "PrefixListArn"},
    parts=(_Size(), _Entries()),
    delete="DeleteManagedPrefixList",
    state=State(
        at="State",
        pending="create-in-progress modify-in-progress restore-in-progress",
        going="delete-in-progress",
        gone="delete-complete",
        broken="create-failed",
        reason="StateMessage",
    ),
    tags="prefix-list",
    create_only="AddressFamily",
    undeclarable=lambda one: "AWS keeps it" if one.get("OwnerId") == "AWS" else "",
    compare_as={"Entries": Comparison.SET},
)
TYPES = (PREFIX_LIST,)
