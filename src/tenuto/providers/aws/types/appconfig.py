"""AWS::AppConfig: applications with their environments, profiles and hosted versions, and strategies of deployment.

The ids of things of an application begin with the application's; their Ref is the last part alone. A version never
changes, and has no tags.
"""

from tenuto.model.ids import Json, JsonMap
from tenuto.providers.aws.blocks.block import block
from tenuto.providers.aws.blocks.calls import Call, Described, Listed
from tenuto.providers.aws.kind import AwsType, Work
from tenuto.providers.aws.naming import KMS_KEY
from tenuto.providers.aws.types.tag_calls import TagCalls, tags_by_arn

_SERVICE = "appconfig"
_APPLICATION, _PROFILE, _CHECK = "ApplicationId", "ConfigurationProfileId", "DeletionProtectionCheck"


def _tags(place: str) -> TagCalls:
    """The calls about the tags of things of one kind, whose ARNs end in this form of their ids."""
    return tags_by_arn(
        _SERVICE, lambda one: place.format(*one.split("|")), id_name="ResourceArn", given_as="Tags", is_mapping=True
    )


def _check(work: Work) -> JsonMap:
    return work.given(_CHECK)


def _decoded(answer: JsonMap) -> Json:
    """A version with its content as a text: AppConfig answers with a stream of bytes."""
    return {**answer, "Content": answer["Content"].read().decode(errors="replace")}


def _part(name: str, place: str, changing: str, defaults: JsonMap) -> AwsType:
    """A part of an application, of which these properties change."""
    key = f"{_APPLICATION} {name}Id"
    return block(
        f"AWS::AppConfig::{name}",
        _SERVICE,
        key=key,
        described=Described(call=Call(f"Get{name}")),
        beside=Listed(
            operation=f"List{name}s",
            id=f"${_APPLICATION} Id",
            size=50,
            given={_APPLICATION: _APPLICATION},
            members="Items",
        ),
        create=f"Create{name}",
        made=f"{_APPLICATION} Id",
        modify={f"Update{name}": changing},
        delete=f"Delete{name}",
        parting=_check,
        attributes={"Ref": "Id", f"{name}Id": "Id"},
        tags=_tags(place),
        compare_as={"KmsKeyIdentifier": KMS_KEY} if name == "ConfigurationProfile" else {},
        defaults={"Description": "", **defaults},
    )


APPLICATION = block(
    "AWS::AppConfig::Application",
    _SERVICE,
    key=_APPLICATION,
    listed=Listed(operation="ListApplications", id="Id", size=50, members="Items"),
    asked=Call("GetApplication"),
    create="CreateApplication",
    made="Id",
    modify={"UpdateApplication": "*"},
    delete="DeleteApplication",
    attributes={_APPLICATION: "Id"},
    tags=_tags("application/{}"),
    defaults={"Description": ""},
)
ENVIRONMENT = _part("Environment", "application/{}/environment/{}", "Description Monitors Name", {"Monitors": []})
PROFILE = _part(
    "ConfigurationProfile",
    "application/{}/configurationprofile/{}",
    "Description KmsKeyIdentifier Name RetrievalRoleArn Validators",
    {"Validators": []},
)
STRATEGY = block(
    "AWS::AppConfig::DeploymentStrategy",
    _SERVICE,
    key="DeploymentStrategyId",
    # AWS brings some of its own, which have no tags.
    listed=Listed(
        operation="ListDeploymentStrategies",
        id="Id",
        each="[@][?!starts_with(Id, 'AppConfig.')]",
        size=50,
        members="Items",
    ),
    asked=Call("GetDeploymentStrategy"),
    create="CreateDeploymentStrategy",
    made="Id",
    modify={"UpdateDeploymentStrategy": "*"},
    delete="DeleteDeploymentStrategy",
    tags=_tags("deploymentstrategy/{}"),
    defaults={"Description": "", "FinalBakeTimeInMinutes": 0, "GrowthType": "LINEAR"},
)
VERSION = block(
    "AWS::AppConfig::HostedConfigurationVersion",
    _SERVICE,
    key=f"{_APPLICATION} {_PROFILE} VersionNumber",
    described=Described(call=Call("GetHostedConfigurationVersion"), at=_decoded),
    beside=Listed(
        operation="ListHostedConfigurationVersions",
        id=f"${_APPLICATION} ${_PROFILE} VersionNumber",
        size=50,
        given={_APPLICATION: _APPLICATION, _PROFILE: _PROFILE},
        members="Items",
    ),
    create="CreateHostedConfigurationVersion",
    made=f"{_APPLICATION} {_PROFILE} VersionNumber",
    delete="DeleteHostedConfigurationVersion",
    attributes={"Ref": "VersionNumber"},
)
TYPES = (APPLICATION, ENVIRONMENT, PROFILE, STRATEGY, VERSION)
