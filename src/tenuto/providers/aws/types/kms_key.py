"""AWS::KMS::Key. Its Ref is its id. A key is not deleted at once: it waits out its window, and counts as gone then."""

from collections.abc import Mapping
from dataclasses import dataclass

from tenuto.model.ids import Json
from tenuto.model.resource import Comparison
from tenuto.providers.aws.blocks.block import block
from tenuto.providers.aws.blocks.calls import Call, Described, Listed, State
from tenuto.providers.aws.blocks.parts import Plain, Setting, Switch
from tenuto.providers.aws.blocks.thing import Thing
from tenuto.providers.aws.comparisons import POLICY
from tenuto.providers.aws.kind import Work, flag
from tenuto.providers.aws.types.tag_calls import TagCalls

_DEFAULT = {"PolicyName": "default"}
_ROTATES, _DAYS = "EnableKeyRotation", "RotationPeriodInDays"


@dataclass(frozen=True, kw_only=True)
class _Rotation(Plain):
    """The rotation of a key, and the days between two of them, which are shown while it rotates."""

    properties = frozenset({_ROTATES, _DAYS})

    def read(self, thing: Thing) -> dict[str, Json]:
        shown = thing.client.read(thing.service, "GetKeyRotationStatus", KeyId=thing.id)
        days = {_DAYS: shown[_DAYS]} if shown.get(_DAYS) is not None else {}
        return {_ROTATES: flag(shown.get("KeyRotationEnabled")), **days}

    def repair(self, work: Work, service: str, words: str) -> None:
        wanted = work.want(_ROTATES)
        rotates = flag(work.seen(_ROTATES) if wanted is None else wanted)
        if rotates and (work.differs(_ROTATES) or work.differs(_DAYS)):
            work.change(service, "EnableKeyRotation", KeyId=work.id, **work.given(_DAYS))
        elif work.differs(_ROTATES):
            work.change(service, "DisableKeyRotation", KeyId=work.id)

    def changes(self, service: str) -> Mapping[str, str]:
        return dict.fromkeys((_ROTATES, _DAYS), f"{service}:EnableKeyRotation+")


KEY = block(
    "AWS::KMS::Key",
    "kms",
    key="KeyId",
    listed=Listed(operation="ListKeys", id="KeyId", size=1000),
    described=Described(call=Call("DescribeKey"), at="KeyMetadata", anew=True),
    create="CreateKey",
    made="KeyMetadata.KeyId",
    renamed={"KeyPolicy": "Policy"},
    modify={"UpdateKeyDescription": "Description"},
    parts=(
        Setting(
            name="KeyPolicy",
            read_by=Call("GetKeyPolicy", fixed=_DEFAULT),
            shown_at="Policy",
            write_by=Call("PutKeyPolicy", fixed=_DEFAULT),
            given_as="Policy",
            is_text=True,
            is_born=True,
        ),
        Switch(name="Enabled", shown_at="Enabled", on="EnableKey", off="DisableKey"),
        _Rotation(),
    ),
    delete="ScheduleKeyDeletion",
    parting=lambda work: work.given("PendingWindowInDays"),
    state=State(at="KeyState", pending="Creating Updating", gone="PendingDeletion PendingReplicaDeletion"),
    tags=TagCalls(
        service="kms",
        list_call="ListResourceTags",
        id_name="KeyId",
        key_as="TagKey",
        value_as="TagValue",
    ),
    create_only="KeySpec KeyUsage MultiRegion Origin",
    shows=_DAYS,
    compare_as={"KeyPolicy": POLICY, _DAYS: Comparison.SHOWN},
    undeclarable=lambda one: "AWS keeps it" if one.get("KeyManager") == "AWS" else "",
    born={"Enabled": True, _ROTATES: False},
    defaults={"Description": "", _ROTATES: False, "Enabled": True, _DAYS: 365},
    bears_data=True,
)
TYPES = (KEY,)
