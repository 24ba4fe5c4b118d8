"""AWS::KMS::Key. Its Ref is its id. A key is not deleted at once: it waits out its window, and counts as gone then."""

from tenuto.providers.aws.blocks.block import block
from tenuto.providers.aws.blocks.calls import Call, Described, Listed, State
from tenuto.providers.aws.blocks.parts import Setting, Switch
from tenuto.providers.aws.comparisons import POLICY
from tenuto.providers.aws.types.tag_calls import TagCalls

_DEFAULT = {"PolicyName": "default"}

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
        Switch(
            name="EnableKeyRotation",
            read_by=Call("GetKeyRotationStatus"),
            shown_at="KeyRotationEnabled",
            on="EnableKeyRotation",
            off="DisableKeyRotation",
        ),
    ),
    delete="ScheduleKeyDeletion",
    state=State(at="KeyState", pending="Creating Updating", gone="PendingDeletion PendingReplicaDeletion"),
    tags=TagCalls(
        service="kms",
        list_call="ListResourceTags",
        put_call="TagResource",
        remove_call="UntagResource",
        id_name="KeyId",
        key_as="TagKey",
        value_as="TagValue",
    ),
    create_only="KeySpec KeyUsage MultiRegion Origin",
    compare_as={"KeyPolicy": POLICY},
    undeclarable=lambda one: "AWS keeps it" if one.get("KeyManager") == "AWS" else "",
    born={"Enabled": True, "EnableKeyRotation": False},
    defaults={"Description": "", "EnableKeyRotation": False, "Enabled": True},
    bears_data=True,
)
TYPES = (KEY,)
