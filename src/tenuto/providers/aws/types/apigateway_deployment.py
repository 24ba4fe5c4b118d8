"""AWS::ApiGateway::Deployment: a picture of an API as it was. To deploy again is to make another one.

Theory of operation. A deployment can make a stage, or turn one to itself (`StageName`), and say how that is set
(`StageDescription`). API Gateway shows neither with the deployment. So the settings are sent when they are declared
otherwise than before, as those of a stage that is declared by itself: it is read, and the differences are sent. The
stage goes with the deployment, unless it has turned to another one since; then its settings are the other one's, too.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from tenuto.errors import PermanentError
from tenuto.model.ids import Json, JsonMap, PhysicalId
from tenuto.model.observation import ObservedItem
from tenuto.providers.aws.blocks.ids import ID
from tenuto.providers.aws.blocks.parts import Shown
from tenuto.providers.aws.blocks.thing import Thing
from tenuto.providers.aws.client.answers.faults import unless_gone
from tenuto.providers.aws.kind import Scope, Work
from tenuto.providers.aws.types.apigateway import on_api, patch
from tenuto.providers.aws.types.apigateway_stage import METHOD_SETTINGS, STAGE

_NAME, _SETTINGS = "StageName", "StageDescription"


@dataclass(frozen=True, kw_only=True)
class _FirstStage(Shown):
    """The stage that a deployment makes, or turns to itself. It holds the deployment."""

    properties = frozenset({_NAME, _SETTINGS})

    def read(self, thing: Thing) -> dict[str, Json]:
        return {}

    def at_birth(self, work: Work) -> dict[str, Json]:
        name = work.want(_NAME)
        if name is None and work.want(_SETTINGS) is not None:
            told = f"{_SETTINGS} says how a stage is set, and no {_NAME} says which. Declare one, or take it out."
            raise PermanentError(told, code="MissingProperty")
        return {"stageName": name} if name else {}

    def repair(self, work: Work, service: str, words: str) -> None:
        settings = work.want(_SETTINGS)
        if settings is None:
            return
        api, _, deployment = work.id.partition(ID)
        stage = PhysicalId(f"{api}{ID}{work.need(_NAME)}")
        shown = _shown(work, stage)
        if shown is None:
            told = (
                f"The stage {work.want(_NAME)} is gone, so its settings cannot be changed. Declare the stage by itself "
                f"(AWS::ApiGateway::Stage), or another {_NAME}, which replaces the deployment."
            )
            raise PermanentError(told, code="NoSuchStage")
        if shown.properties.get("DeploymentId") != deployment:
            return
        request = replace(
            work.request,
            type=STAGE.facts.name,
            physical_id=stage,
            properties={**STAGE.facts.defaults, **_as_stage(settings)},
            observed=shown.properties,
        )
        if STAGE.modify is not None:
            STAGE.modify(replace(work, type=STAGE, request=request))

    def clear(self, work: Work, service: str, words: str) -> None:
        name = work.want(_NAME)
        if name is None:
            return
        api, _, deployment = work.id.partition(ID)
        stage = unless_gone(lambda: work.read(service, "GetStage", restApiId=api, stageName=name))
        if stage is not None and stage.get("deploymentId") == deployment:
            work.let_go(service, "DeleteStage", restApiId=api, stageName=name)

    def changes(self, service: str) -> Mapping[str, str]:
        return {_SETTINGS: f"{service}:UpdateStage"}


def _shown(work: Work, stage: PhysicalId) -> ObservedItem | None:
    """The stage as it is; None when there is none."""
    found = STAGE.source.read(work.client, Scope(names={STAGE.facts.name: frozenset({stage})}))
    return next((item for _, item in found), None)


def _as_stage(settings: JsonMap) -> JsonMap:
    """The settings as a stage of its own declares them: those of all methods stand among the settings of methods."""
    of_all = {name: settings[name] for name in METHOD_SETTINGS if name in settings}
    rest = {name: value for name, value in settings.items() if name not in METHOD_SETTINGS}
    if not of_all:
        return rest
    methods = [{"ResourcePath": "/*", "HttpMethod": "*", **of_all}, *settings.get("MethodSettings", ())]
    return {**rest, "MethodSettings": methods}


DEPLOYMENT = on_api(
    "Deployment",
    modify={patch("UpdateDeployment"): "Description"},
    parts=(_FirstStage(),),
    create_only=_NAME,
    refused={
        "DeploymentCanarySettings": "API Gateway turns the canary of a stage to the deployment as it is made, and "
        "shows that with the stage alone. Declare the stage by itself (AWS::ApiGateway::Stage), and the deployment as "
        "`CanarySetting: {DeploymentId: …, PercentTraffic: …}` of it.",
    },
    defaults={"Description": ""},
)
TYPES = (DEPLOYMENT,)
