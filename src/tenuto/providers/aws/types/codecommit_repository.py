"""AWS::CodeCommit::Repository. Its Ref is the id that CodeCommit makes; the calls know it by its name.

So the name is the physical id, and another name is another repository: CodeCommit could give it one, but its clones
would not follow.
"""

from tenuto.model.resource import Comparison
from tenuto.providers.aws.blocks.block import block
from tenuto.providers.aws.blocks.calls import Call, Described, Listed
from tenuto.providers.aws.blocks.parts import Setting
from tenuto.providers.aws.naming import KMS_KEY
from tenuto.providers.aws.types.named import Named
from tenuto.providers.aws.types.tag_calls import TagCalls

REPOSITORY = block(
    "AWS::CodeCommit::Repository",
    "codecommit",
    key="repositoryName",
    listed=Listed(operation="ListRepositories", id="repositoryName"),
    described=Described(call=Call("GetRepository"), at="repositoryMetadata"),
    named=Named("RepositoryName", 100),
    create="CreateRepository",
    made="repositoryMetadata.repositoryName",
    modify={
        "UpdateRepositoryDescription": "RepositoryDescription",
        "UpdateRepositoryEncryptionKey": "KmsKeyId",
    },
    parts=(
        Setting(
            name="Triggers",
            read_by=Call("GetRepositoryTriggers"),
            shown_at="triggers[].{Name: name, DestinationArn: destinationArn, CustomData: customData, "
            "Branches: branches, Events: events}",
            write_by=Call("PutRepositoryTriggers"),
            given_as="triggers",
            given_at="[].{name: Name, destinationArn: DestinationArn, customData: CustomData || '', "
            "branches: Branches || `[]`, events: Events}",
        ),
    ),
    delete="DeleteRepository",
    attributes={"Ref": "repositoryId", "Name": "$name"},
    tags=TagCalls(
        service="codecommit",
        id_name="resourceArn",
        named=lambda _, shown: shown["Arn"],
        listed_as="tags",
        given_as="tags",
        keys_as="tagKeys",
        is_mapping=True,
    ),
    refused={
        "Code": "It is the first commit, and nothing tells it apart from the commits of people later. Take it "
        "out, and push it with git once the repository is there.",
    },
    create_only="RepositoryName",
    compare_as={"KmsKeyId": KMS_KEY, "Triggers": Comparison.SET},
    defaults={"RepositoryDescription": "", "Triggers": []},
    named_by="",
    named_attributes="Arn CloneUrlHttp CloneUrlSsh Name",
    bears_data=True,
)
TYPES = (REPOSITORY,)
