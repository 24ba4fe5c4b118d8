"""AWS::Pipes::Pipe. Its Ref is its name. A pipe starts and stops by its desired state, which takes its time."""

from tenuto.providers.aws.blocks.block import block
from tenuto.providers.aws.blocks.calls import Call, Described, Listed, State
from tenuto.providers.aws.naming import KMS_KEY
from tenuto.providers.aws.types.named import Named
from tenuto.providers.aws.types.tag_calls import TagCalls

_SERVICE = "pipes"
PIPE = block(
    "AWS::Pipes::Pipe",
    _SERVICE,
    key="Name",
    listed=Listed(operation="ListPipes", id="Name", size=100),
    described=Described(call=Call("DescribePipe"), anew=True),
    named=Named("Name", 64),
    create="CreatePipe",
    modify={"UpdatePipe": "*"},
    delete="DeletePipe",
    recovers=True,
    state=State(
        at="CurrentState",
        pending="CREATING STARTING STOPPING UPDATING",
        going="DELETING",
        gone="DELETED",
        broken="CREATE_FAILED DELETE_FAILED START_FAILED STOP_FAILED UPDATE_FAILED",
        reason="StateReason",
    ),
    tags=TagCalls(
        service=_SERVICE,
        id_name="resourceArn",
        named=lambda _, pipe: pipe["Arn"],
        shown_at="Tags",
        given_as="tags",
        keys_as="tagKeys",
        is_mapping=True,
    ),
    # The schema says that no call shows them; DescribePipe does.
    shows="SourceParameters TargetParameters",
    defaults={"Description": "", "DesiredState": "RUNNING"},
    compare_as={"KmsKeyIdentifier": KMS_KEY},
)
TYPES = (PIPE,)
