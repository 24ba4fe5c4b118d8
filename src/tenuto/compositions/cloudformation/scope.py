"""The scope gives the names of a composition their meaning while it is compiled."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from tenuto.compositions.nodes import Fields
from tenuto.compositions.schema import TypeSchema
from tenuto.core.language.resolve import Environment
from tenuto.model.ids import Json

PSEUDO_PARAMETERS = (
    "AWS::AccountId",
    "AWS::NoValue",
    "AWS::NotificationARNs",
    "AWS::Partition",
    "AWS::Region",
    "AWS::StackId",
    "AWS::StackName",
    "AWS::URLSuffix",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """The names that a reference can have, each with its value or its schema.

    `folding` has what may be written into the composition; `deciding` has besides what is known now and must not be
    (secrets, the account), for conditions and mapping keys.
    """

    region: str
    folding: Environment
    deciding: Environment
    parameters: tuple[str, ...] = ()
    resources: Mapping[str, TypeSchema | None] = field(default_factory=dict)
    """Every declared resource with the schema of its type; None when there is nothing to check against."""
    mappings: Mapping[str, Fields] = field(default_factory=dict)
    inert: frozenset[str] = frozenset()
    """The declared resources that make nothing, so that nothing can refer to them."""
    has_language_extensions: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """The names that `Ref` may use."""
        return (*self.parameters, *self.resources, *PSEUDO_PARAMETERS)


def region_values(region: str) -> dict[str, Json]:
    """The pseudo parameters that the region decides."""
    partition, suffix = "aws", "amazonaws.com"
    if region.startswith("cn-"):
        partition, suffix = "aws-cn", "amazonaws.com.cn"
    elif region.startswith("us-gov-"):
        partition = "aws-us-gov"
    return {
        "AWS::Region": region,
        "AWS::Partition": partition,
        "AWS::URLSuffix": suffix,
        "AWS::NotificationARNs": [],
    }
