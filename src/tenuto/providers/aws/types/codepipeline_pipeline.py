"""AWS::CodePipeline::Pipeline. Its Ref is its name.

Theory of operation. Both calls that write a pipeline take it as one structure, and an update replaces all of it: so it
is one part here. CodePipeline shows the token of an action as asterisks. Such a value is taken for not shown; another
token is sent when the declaration, or the parameter in it, changes.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from tenuto.model.ids import Json, JsonMap
from tenuto.model.resource import Comparison
from tenuto.providers.aws.blocks.block import block
from tenuto.providers.aws.blocks.calls import Call, Described, Listed
from tenuto.providers.aws.blocks.parts import Plain, Shown
from tenuto.providers.aws.blocks.thing import Thing
from tenuto.providers.aws.blocks.wire import at, declared, sent
from tenuto.providers.aws.kind import Work, flag
from tenuto.providers.aws.types.cloud_control_model import is_sent_anew
from tenuto.providers.aws.types.facts import published
from tenuto.providers.aws.types.named import Named
from tenuto.providers.aws.types.tag_calls import TagCalls

_NAME = "AWS::CodePipeline::Pipeline"
_MASK = "****"
_SETTINGS = (
    "ArtifactStore ArtifactStores ExecutionMode Name PipelineType RestartExecutionOnUpdate RoleArn Stages Triggers "
    "Variables"
)
_AGAIN = "RestartExecutionOnUpdate"
_STORES = "ArtifactStores"
_STOPS = "DisableInboundStageTransitions"
_PIPELINE_NAME = Named("Name", 100)
_SECRETS = {f"Stages.Actions.Configuration.{word}": Comparison.SHOWN for word in ("OAuthToken", "SecretToken")}


@dataclass(frozen=True, kw_only=True)
class _Structure(Shown):
    """The pipeline itself."""

    @property
    def properties(self) -> frozenset[str]:
        return frozenset(_SETTINGS.split())

    def read(self, thing: Thing) -> dict[str, Json]:
        shown = _unmasked(thing.answer.get("pipeline") or {})
        return declared(shown, published(_NAME), sorted(self.properties - {_AGAIN}), {}, {_STORES: _by_region})

    def at_birth(self, work: Work) -> dict[str, Json]:
        return self._given(work, "codepipeline", "CreatePipeline", _PIPELINE_NAME(work.request))

    def repair(self, work: Work, service: str, words: str) -> None:
        names = sorted(self.properties - {_AGAIN})
        if not any(work.differs(name) or is_sent_anew(work.request, name) for name in names):
            return
        work.change(service, "UpdatePipeline", **self._given(work, service, "UpdatePipeline", work.id))
        if flag(work.want(_AGAIN) or False):
            work.change(service, "StartPipelineExecution", name=work.id)

    def _given(self, work: Work, service: str, operation: str, name: str) -> dict[str, Json]:
        wanted = {**work.given(*sorted(self.properties)), "Name": name}
        if _STORES in wanted:
            wanted[_STORES] = {one["Region"]: one["ArtifactStore"] for one in wanted[_STORES]}
        return {"pipeline": sent(work.client.input_of(service, operation).members["pipeline"], wanted, {})}

    def changes(self, service: str) -> Mapping[str, str]:
        return dict.fromkeys(sorted(self.properties), f"{service}:UpdatePipeline+")


@dataclass(frozen=True, kw_only=True)
class _Stops(Plain):
    """The stages that nothing enters: a switch for each stage of the pipeline."""

    @property
    def properties(self) -> frozenset[str]:
        return frozenset({_STOPS})

    def read(self, thing: Thing) -> dict[str, Json]:
        answer = thing.client.read(thing.service, "GetPipelineState", name=thing.id)
        stages = at(answer, "stageStates[?inboundTransitionState.enabled == `false`]") or []
        return {
            _STOPS: [
                {"StageName": one["stageName"], "Reason": one["inboundTransitionState"].get("disabledReason", "")}
                for one in stages
            ]
        }

    def repair(self, work: Work, service: str, words: str) -> None:
        if not work.differs(_STOPS):
            return
        wanted = {one["StageName"]: str(one.get("Reason", "")) for one in work.want(_STOPS) or ()}
        present = {one["StageName"]: str(one.get("Reason", "")) for one in work.seen(_STOPS) or ()}
        for stage, reason in sorted(wanted.items()):
            if present.get(stage) != reason:
                self._turn(work, service, "DisableStageTransition", stage, reason=reason)
        for stage in sorted(present.keys() - wanted.keys()):
            self._turn(work, service, "EnableStageTransition", stage)

    def _turn(self, work: Work, service: str, operation: str, stage: str, **more: str) -> None:
        work.change(service, operation, pipelineName=work.id, stageName=stage, transitionType="Inbound", **more)

    def changes(self, service: str) -> Mapping[str, str]:
        return {_STOPS: f"{service}:DisableStageTransition"}


def _unmasked(value: Json) -> Json:
    """The value that is shown, without members of mappings that are masked."""
    if isinstance(value, Mapping):
        return {name: _unmasked(one) for name, one in value.items() if one != _MASK}
    return [_unmasked(one) for one in value] if isinstance(value, list) else value


def _by_region(pipeline: JsonMap) -> Json:
    """The stores as a list; CodePipeline keeps them by region."""
    stores = pipeline.get("artifactStores")
    return stores and [{"Region": region, "ArtifactStore": stores[region]} for region in sorted(stores)]


def _version(shown: JsonMap) -> Json:
    version = at(shown, "pipeline.version || version")
    return None if version is None else str(version)


PIPELINE = block(
    _NAME,
    "codepipeline",
    key="name",
    listed=Listed(operation="ListPipelines", id="name"),
    described=Described(call=Call("GetPipeline")),
    named=_PIPELINE_NAME,
    create="CreatePipeline",
    made="pipeline.name",
    parts=(_Structure(), _Stops()),
    delete="DeletePipeline",
    attributes={"Arn": "metadata.pipelineArn", "Version": _version},
    tags=TagCalls(
        service="codepipeline",
        id_name="resourceArn",
        named=lambda _, shown: shown["metadata"]["pipelineArn"],
        listed_as="tags",
        given_as="tags",
        keys_as="tagKeys",
        key_as="key",
        value_as="value",
    ),
    compare_as={**_SECRETS, _STOPS: Comparison.SET, _STORES: Comparison.SET},
    defaults={_STOPS: [], "Triggers": [], "Variables": []},
    named_by="Name",
    named_attributes="Arn",
)
TYPES = (PIPELINE,)
