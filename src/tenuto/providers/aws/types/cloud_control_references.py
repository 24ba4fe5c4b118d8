"""The value of `Ref` for types without a block, where CloudFormation gives another one than Cloud Control's identifier.

Theory of operation. Cloud Control knows a thing by all parts of its primary identifier (`API|STAGE`). CloudFormation
gives just that as `Ref` for types that were made for its registry. For older types it gives the one part that their
service knows the thing by, or its ARN; templates build on that (`ParentId: !Ref Items`). No schema says which types are
older, so this is the one table about Cloud Control that names types. It holds the answers that AWS was seen to give
(tests/integration/aws/test_validated_outcomes.py) and those that the CDK's own constructs count on. A type that gets a
block says it there, and leaves the table.
"""

from collections.abc import Mapping

from tenuto.compositions.checks.schema import TypeSchema
from tenuto.model.ids import Json, JsonMap

_TOLD = {
    "ApiGateway": "DocumentationPart.DocumentationPartId",
    "ApiGatewayV2": (
        "ApiMapping.ApiMappingId IntegrationResponse.IntegrationResponseId Model.ModelId RouteResponse.RouteResponseId"
    ),
    "AppConfig": "Deployment.DeploymentNumber",
    "Batch": "JobDefinition.JobDefinitionArn",
    "CodeDeploy": "DeploymentGroup.DeploymentGroupName",
    "ElasticBeanstalk": "ApplicationVersion.Id ConfigurationTemplate.TemplateName",
    "Glue": "Connection.Name Table.Name",
    "GuardDuty": "Filter.Name IPSet.Id PublishingDestination.Id ThreatIntelSet.Id",
    "Logs": "LogStream.LogStreamName SubscriptionFilter.FilterName",
    "SES": "ConfigurationSetEventDestination.Id ReceiptRule.RuleName",
    "SSM": "MaintenanceWindowTarget.WindowTargetId MaintenanceWindowTask.WindowTaskId",
}
REFERENCES: Mapping[str, str] = {
    f"AWS::{service}::{word.partition('.')[0]}": word.partition(".")[2]
    for service, words in _TOLD.items()
    for word in words.split()
}
"""By type, the part of the identifier or the attribute that `Ref` gives."""


def reference_in(identifier: str, model: JsonMap, schema: TypeSchema) -> dict[str, Json]:
    """The value of `Ref` as an attribute; nothing where it is the identifier, or not known yet."""
    name = REFERENCES.get(schema.name, "")
    parts = identifier.split("|")
    if name in schema.primary_identifier and len(parts) == len(schema.primary_identifier):
        # The domain name of a record set goes without the dot at its end.
        return {"Ref": parts[schema.primary_identifier.index(name)].removesuffix(".")}
    return {"Ref": model[name]} if name and model.get(name) is not None else {}
