"""AWS::Events::Archive. Its Ref is its name."""

from tenuto.providers.aws.blocks.block import block
from tenuto.providers.aws.blocks.calls import Call, Described, Listed, State
from tenuto.providers.aws.comparisons import POLICY
from tenuto.providers.aws.naming import KMS_KEY
from tenuto.providers.aws.types.named import Named

ARCHIVE = block(
    "AWS::Events::Archive",
    "events",
    key="ArchiveName",
    listed=Listed(operation="ListArchives", id="ArchiveName", members="Archives"),
    described=Described(call=Call("DescribeArchive"), anew=True),
    named=Named("ArchiveName", 48),
    create="CreateArchive",
    renamed={"SourceArn": "EventSourceArn", "Arn": "ArchiveArn"},
    modify={"UpdateArchive": "*"},
    delete="DeleteArchive",
    state=State(
        at="State", pending="CREATING UPDATING", broken="CREATE_FAILED", reason="StateReason", ends_at_once=True
    ),
    compare_as={"EventPattern": POLICY, "KmsKeyIdentifier": KMS_KEY},
    defaults={"Description": "", "RetentionDays": 0},
)
TYPES = (ARCHIVE,)
