"""AWS::ECR::Repository. Its Ref is its name."""

from tenuto.model.resource import Comparison
from tenuto.providers.aws.blocks.block import block
from tenuto.providers.aws.blocks.calls import Call, Listed
from tenuto.providers.aws.blocks.parts import Setting
from tenuto.providers.aws.comparisons import POLICY
from tenuto.providers.aws.kind import flag
from tenuto.providers.aws.types.named import Named
from tenuto.providers.aws.types.tag_calls import TagCalls

REPOSITORY = block(
    "AWS::ECR::Repository",
    "ecr",
    key="repositoryName",
    listed=Listed(operation="DescribeRepositories", id="repositoryName", size=1000, by_name="repositoryNames[]"),
    asked=Call("DescribeRepositories", key="repositoryNames[]"),
    named=Named("RepositoryName", 256, fit=str.lower),
    create="CreateRepository",
    attributes={"Arn": "repositoryArn"},
    modify={
        "PutImageScanningConfiguration": "ImageScanningConfiguration",
        "PutImageTagMutability": "ImageTagMutability ImageTagMutabilityExclusionFilters",
    },
    renamed={
        "ImageTagMutabilityExclusionFilters.ImageTagMutabilityExclusionFilterType": "filterType",
        "ImageTagMutabilityExclusionFilters.ImageTagMutabilityExclusionFilterValue": "filter",
    },
    parts=(
        Setting(
            name="LifecyclePolicy",
            read_by=Call("GetLifecyclePolicy"),
            shown_at="lifecyclePolicyText && {LifecyclePolicyText: lifecyclePolicyText}",
            write_by=Call("PutLifecyclePolicy", drop="DeleteLifecyclePolicy"),
            given_as="lifecyclePolicyText",
            given_at="LifecyclePolicyText",
            absent="LifecyclePolicyNotFoundException",
        ),
        Setting(
            name="RepositoryPolicyText",
            read_by=Call("GetRepositoryPolicy"),
            shown_at="policyText",
            write_by=Call("SetRepositoryPolicy", drop="DeleteRepositoryPolicy"),
            given_as="policyText",
            is_text=True,
            absent="RepositoryPolicyNotFoundException",
        ),
    ),
    delete="DeleteRepository",
    tags=TagCalls(
        service="ecr",
        id_name="resourceArn",
        listed_as="tags",
        given_as="tags",
        keys_as="tagKeys",
        named=lambda _, shown: shown["repositoryArn"],
    ),
    # Images keep a repository from being deleted, unless that was declared.
    parting=lambda work: {"force": True} if flag(work.want("EmptyOnDelete")) else {},
    defaults={"ImageScanningConfiguration": {"ScanOnPush": False}, "ImageTagMutability": "MUTABLE"},
    compare_as={
        "LifecyclePolicy.LifecyclePolicyText": POLICY,
        # The registry is that of the account, even if another one is declared.
        "LifecyclePolicy.RegistryId": Comparison.SHOWN,
        "RepositoryPolicyText": POLICY,
    },
    named_attributes="Arn",
    bears_data=True,
)
TYPES = (REPOSITORY,)
