"""AWS::Backup: vaults, plans and the selections of plans. A vault's Ref is its name, the others' are ids."""

from collections.abc import Mapping

from tenuto.model.ids import Json
from tenuto.model.resource import Comparison
from tenuto.providers.aws.blocks.block import block
from tenuto.providers.aws.blocks.calls import Call, Described, Listed, State
from tenuto.providers.aws.blocks.parts import Plain, Setting, Shown
from tenuto.providers.aws.blocks.thing import Thing
from tenuto.providers.aws.client.answers import faults
from tenuto.providers.aws.comparisons import POLICY
from tenuto.providers.aws.kind import Work
from tenuto.providers.aws.naming import KMS_KEY
from tenuto.providers.aws.types.named import Named
from tenuto.providers.aws.types.tag_calls import TagCalls

_SERVICE = "backup"
_LOCK, _NOTES = "LockConfiguration", "Notifications"
_NOTE_MEMBERS = ("BackupVaultEvents", "SNSTopicArn")
_LIMITS = ("MinRetentionDays", "MaxRetentionDays")


def _tags(arn: str, name: str) -> TagCalls:
    return TagCalls(
        service=_SERVICE,
        list_call="ListTags",
        id_name="ResourceArn",
        named=lambda _, one: one[arn],
        keys_as="TagKeyList",
        is_mapping=True,
        declared_as=name,
    )


class _Lock(Shown):
    """The lock, which the list shows without the days in which it may still be changed."""

    properties = frozenset({_LOCK})

    def read(self, thing: Thing) -> dict[str, Json]:
        shown = {name: thing.answer[name] for name in _LIMITS if thing.answer.get(name) is not None}
        return {_LOCK: shown} if thing.answer.get("Locked") else {}

    def repair(self, work: Work, service: str, words: str) -> None:
        if work.differs(_LOCK):
            limits = {name: int(days) for name, days in work.want(_LOCK).items()}
            work.change(service, "PutBackupVaultLockConfiguration", BackupVaultName=work.id, **limits)

    def changes(self, service: str) -> Mapping[str, str]:
        return {_LOCK: f"{service}:PutBackupVaultLockConfiguration"}


class _Notifications(Plain):
    """The topic that is told, and the events that it is told of."""

    properties = frozenset({_NOTES})

    def read(self, thing: Thing) -> dict[str, Json]:
        shown = faults.unless_gone(
            lambda: thing.client.read(thing.service, "GetBackupVaultNotifications", BackupVaultName=thing.id)
        )
        return {} if shown is None else {_NOTES: {name: shown[name] for name in _NOTE_MEMBERS if name in shown}}

    def repair(self, work: Work, service: str, words: str) -> None:
        if work.differs(_NOTES):
            work.change(service, "PutBackupVaultNotifications", BackupVaultName=work.id, **work.want(_NOTES))

    def changes(self, service: str) -> Mapping[str, str]:
        return {_NOTES: f"{service}:PutBackupVaultNotifications"}


VAULT = block(
    "AWS::Backup::BackupVault",
    _SERVICE,
    key="BackupVaultName",
    listed=Listed(operation="ListBackupVaults", id="BackupVaultName", size=1000),
    named=Named("BackupVaultName", 50),
    create="CreateBackupVault",
    parts=(
        _Lock(),
        Setting(
            name="AccessPolicy",
            read_by=Call("GetBackupVaultAccessPolicy"),
            shown_at="Policy",
            write_by=Call("PutBackupVaultAccessPolicy", drop="DeleteBackupVaultAccessPolicy"),
            given_as="Policy",
            is_text=True,
            absent="ResourceNotFoundException",
        ),
        _Notifications(),
    ),
    delete="DeleteBackupVault",
    tags=_tags("BackupVaultArn", "BackupVaultTags"),
    compare_as={
        "AccessPolicy": POLICY,
        "EncryptionKeyArn": KMS_KEY,
        f"{_LOCK}.ChangeableForDays": Comparison.SHOWN,
        f"{_NOTES}.BackupVaultEvents": Comparison.SET,
    },
)
PLAN = block(
    "AWS::Backup::BackupPlan",
    _SERVICE,
    key="BackupPlanId",
    listed=Listed(operation="ListBackupPlans", id="BackupPlanId", size=1000),
    described=Described(call=Call("GetBackupPlan"), anew=True),
    create="CreateBackupPlan",
    made="BackupPlanId",
    token="CreatorRequestId",
    renamed={
        "BackupPlan.BackupPlanRule": "Rules",
        "BackupPlan.BackupPlanRule.TargetBackupVault": "TargetBackupVaultName",
    },
    modify={"UpdateBackupPlan": "*"},
    delete="DeleteBackupPlan",
    # AWS Backup describes a plan that was deleted for ever.
    state=State(at="DeletionDate && 'DELETED' || 'ACTIVE'", gone="DELETED"),
    tags=_tags("BackupPlanArn", "BackupPlanTags"),
    exclusive=[("BackupPlan",)],
)
SELECTION = block(
    "AWS::Backup::BackupSelection",
    _SERVICE,
    key="BackupPlanId SelectionId",
    described=Described(call=Call("GetBackupSelection")),
    beside=Listed(
        operation="ListBackupSelections", id="BackupPlanId SelectionId", given={"BackupPlanId": "BackupPlanId"}
    ),
    create="CreateBackupSelection",
    made="BackupPlanId SelectionId",
    token="CreatorRequestId",
    delete="DeleteBackupSelection",
    attributes={
        "Id": lambda one: f"{one['SelectionId']}_{one['BackupPlanId']}",
        "Ref": lambda one: f"{one['SelectionId']}_{one['BackupPlanId']}",
    },
    compare_as={
        "BackupSelection.ListOfTags": Comparison.SET,
        "BackupSelection.NotResources": Comparison.SET,
        "BackupSelection.Resources": Comparison.SET,
    },
)
TYPES = (VAULT, PLAN, SELECTION)
