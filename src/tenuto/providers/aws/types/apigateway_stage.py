"""AWS::ApiGateway::Stage, usage plans and keys: the side of an API that callers meet. The Ref of a stage is its name.

The settings of the methods of a stage are a list in a composition and a mapping by path and verb in API Gateway, which
takes them one by one, each under a path of its own.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from tenuto.core.planning.equality.scalars import unescaped
from tenuto.model.ids import Json, JsonMap
from tenuto.model.resource import Comparison
from tenuto.model.spelling import Merged
from tenuto.providers.aws.blocks.block import block
from tenuto.providers.aws.blocks.calls import Call, Described, Listed
from tenuto.providers.aws.blocks.parts import Shown
from tenuto.providers.aws.blocks.patches import escaped
from tenuto.providers.aws.blocks.thing import Thing
from tenuto.providers.aws.client.texts import text_of
from tenuto.providers.aws.kind import Work
from tenuto.providers.aws.types.apigateway import patch, tags
from tenuto.providers.aws.types.named import Named

METHOD_SETTINGS = {
    "CacheDataEncrypted": "caching/dataEncrypted",
    "CacheTtlInSeconds": "caching/ttlInSeconds",
    "CachingEnabled": "caching/enabled",
    "DataTraceEnabled": "logging/dataTrace",
    "LoggingLevel": "logging/loglevel",
    "MetricsEnabled": "metrics/enabled",
    "ThrottlingBurstLimit": "throttling/burstLimit",
    "ThrottlingRateLimit": "throttling/rateLimit",
}
"""The settings of a method, with the paths under which a patch has them."""
BY_METHOD = Merged(by=("ResourcePath", "HttpMethod"))
"""A stage has one setting for each method. The CDK declares the limits of all methods beside their logs."""


def _place(setting: JsonMap) -> str:
    """The path and verb of the methods that a setting is about, as API Gateway writes it. A template may write the path
    like this, too."""
    path = unescaped(str(setting.get("ResourcePath", "/*")))
    return f"{'*' if path == '/*' else escaped(path)}/{setting.get('HttpMethod', '*')}"


def _declared(place: str, shown: JsonMap) -> JsonMap:
    path, _, verb = place.rpartition("/")
    spelled = {
        name: shown[f"{name[0].lower()}{name[1:]}"]
        for name in METHOD_SETTINGS
        if f"{name[0].lower()}{name[1:]}" in shown
    }
    return {"ResourcePath": unescaped(path), "HttpMethod": verb, **spelled}


@dataclass(frozen=True, kw_only=True)
class _MethodSettings(Shown):
    """The logs, caches and limits of a stage, by method."""

    properties = frozenset({"MethodSettings"})

    def read(self, thing: Thing) -> dict[str, Json]:
        shown: Mapping[str, JsonMap] = thing.answer.get("methodSettings") or {}
        return {"MethodSettings": [_declared(place, shown[place]) for place in sorted(shown)]}

    def repair(self, work: Work, service: str, words: str) -> None:
        if not work.differs("MethodSettings"):
            return
        wanted: dict[str, dict[str, Json]] = {}
        for one in work.want("MethodSettings"):
            wanted.setdefault(_place(one), {}).update(one)
        gone = {_place(one) for one in work.seen("MethodSettings") or ()} - wanted.keys()
        operations = [
            *({"op": "remove", "path": f"/{place}"} for place in sorted(gone)),
            *(
                {"op": "replace", "path": f"/{place}/{METHOD_SETTINGS[name]}", "value": text_of(one[name])}
                for place, one in sorted(wanted.items())
                for name in sorted(one.keys() & METHOD_SETTINGS.keys())
            ),
        ]
        work.change(service, "UpdateStage", **Call("UpdateStage").about(words, work.id), patchOperations=operations)

    def changes(self, service: str) -> Mapping[str, str]:
        return {"MethodSettings": f"{service}:UpdateStage"}


@dataclass(frozen=True, kw_only=True)
class _ApiStages(Shown):
    """The stages that a usage plan is about, each with limits of its own for some methods."""

    properties = frozenset({"ApiStages"})

    def read(self, thing: Thing) -> dict[str, Json]:
        shown = thing.answer.get("apiStages") or ()
        return {
            "ApiStages": [
                {"ApiId": one.get("apiId"), "Stage": one.get("stage"), "Throttle": _limits(one.get("throttle"))}
                for one in shown
            ]
        }

    def at_birth(self, work: Work) -> dict[str, Json]:
        stages = [
            {"apiId": one.get("ApiId"), "stage": one.get("Stage"), **_given(one)}
            for one in work.want("ApiStages") or ()
        ]
        return {"apiStages": stages} if stages else {}

    def repair(self, work: Work, service: str, words: str) -> None:
        if not work.differs("ApiStages"):
            return
        wanted, seen = (
            {_stage(one): one.get("Throttle") or {} for one in value or ()}
            for value in (work.want("ApiStages"), work.seen("ApiStages"))
        )
        operations = [
            *_exchanged("/apiStages", seen, wanted),
            *(one for stage in wanted for one in _throttled(stage, seen.get(stage, {}), wanted[stage])),
        ]
        about = Call("UpdateUsagePlan").about(words, work.id)
        work.change(service, "UpdateUsagePlan", **about, patchOperations=operations)

    def clear(self, work: Work, service: str, words: str) -> None:
        # A plan with stages cannot be deleted.
        shown = work.read(service, "GetUsagePlan", **Call("GetUsagePlan").about(words, work.id)).get("apiStages") or ()
        about = Call("UpdateUsagePlan").about(words, work.id)
        operations = [
            {"op": "remove", "path": "/apiStages", "value": f"{one['apiId']}:{one['stage']}"} for one in shown
        ]
        if operations:
            work.change(service, "UpdateUsagePlan", **about, patchOperations=operations)

    def changes(self, service: str) -> Mapping[str, str]:
        return {"ApiStages": f"{service}:UpdateUsagePlan"}


def _exchanged(path: str, seen: Collection[str], wanted: Collection[str]) -> list[JsonMap]:
    """The operations that take members out of a list and put others in."""
    return [
        *({"op": "remove", "path": path, "value": one} for one in seen if one not in wanted),
        *({"op": "add", "path": path, "value": one} for one in wanted if one not in seen),
    ]


_LIMITS = {"BurstLimit": "burstLimit", "RateLimit": "rateLimit"}


def _stage(one: JsonMap) -> str:
    return f"{one.get('ApiId')}:{one.get('Stage')}"


def _limits(shown: Json) -> JsonMap:
    """The limits of methods as they are declared, by `/path/VERB`."""
    return {
        method: {name: limits[word] for name, word in _LIMITS.items() if word in limits}
        for method, limits in (shown or {}).items()
    }


def _given(stage: JsonMap) -> JsonMap:
    limits: Mapping[str, JsonMap] = stage.get("Throttle") or {}
    given = {
        method: {word: one[name] for name, word in _LIMITS.items() if name in one} for method, one in limits.items()
    }
    return {"throttle": given} if given else {}


def _throttled(stage: str, before: Mapping[str, JsonMap], after: Mapping[str, JsonMap]) -> list[JsonMap]:
    """The operations on the limits of the methods of one stage."""

    def place(method: str) -> str:
        path, _, verb = method.rpartition("/")
        return f"/apiStages/{stage}/throttle/{escaped(path)}/{verb}"

    return [
        *({"op": "remove", "path": place(method)} for method in sorted(before.keys() - after.keys())),
        *(
            {"op": "replace", "path": f"{place(method)}/{_LIMITS[name]}", "value": text_of(limits[name])}
            for method, limits in sorted(after.items())
            for name in sorted(limits.keys() & _LIMITS.keys())
            if before.get(method, {}).get(name) != limits[name]
        ),
    ]


@dataclass(frozen=True, kw_only=True)
class _StageKeys(Shown):
    """The stages that a key is for, as they were named before there were usage plans."""

    properties = frozenset({"StageKeys"})

    def read(self, thing: Thing) -> dict[str, Json]:
        parts = [_key_parts(one) for one in thing.answer.get("stageKeys") or ()]
        return {"StageKeys": [{"RestApiId": api, "StageName": stage} for api, stage in parts]}

    def at_birth(self, work: Work) -> dict[str, Json]:
        keys = [
            {word: one[name] for name, word in (("RestApiId", "restApiId"), ("StageName", "stageName")) if name in one}
            for one in work.want("StageKeys") or ()
        ]
        return {"stageKeys": keys} if keys else {}

    def repair(self, work: Work, service: str, words: str) -> None:
        if not work.differs("StageKeys"):
            return
        wanted, seen = (
            [f"{one.get('RestApiId')}/{one.get('StageName')}" for one in value or ()]
            for value in (work.want("StageKeys"), work.seen("StageKeys"))
        )
        about = Call("UpdateApiKey").about(words, work.id)
        work.change(service, "UpdateApiKey", **about, patchOperations=_exchanged("/stages", seen, wanted))

    def changes(self, service: str) -> Mapping[str, str]:
        return {"StageKeys": f"{service}:UpdateApiKey"}


def _key_parts(shown: Json) -> tuple[Json, Json]:
    """The API and the stage of a key: API Gateway shows `api/stage`, and takes a structure."""
    if isinstance(shown, Mapping):
        return shown.get("restApiId"), shown.get("stageName")
    api, _, stage = str(shown).partition("/")
    return api, stage


STAGE = block(
    "AWS::ApiGateway::Stage",
    "apigateway",
    key="restApiId stageName",
    described=Described(call=Call("GetStage"), anew=True),
    create="CreateStage",
    attributes={"Ref": "stageName"},
    renamed={"AccessLogSetting": "accessLogSettings", "CanarySetting": "canarySettings"},
    modify={patch("UpdateStage"): "*"},
    parts=(_MethodSettings(),),
    delete="DeleteStage",
    tags=tags("/restapis/{}/stages/{}"),
    defaults={
        "AccessLogSetting": None,
        "CacheClusterEnabled": False,
        "CanarySetting": None,
        "Description": "",
        "MethodSettings": [],
        "TracingEnabled": False,
        "Variables": {},
    },
    compare_as={"MethodSettings": BY_METHOD, "MethodSettings.ResourcePath": Comparison.POINTER},
    exclusive=[("RestApiId", "StageName")],
)

USAGE_PLAN = block(
    "AWS::ApiGateway::UsagePlan",
    "apigateway",
    key="usagePlanId",
    listed=Listed(operation="GetUsagePlans", id="id", size=500),
    described=Described(call=Call("GetUsagePlan"), anew=True),
    named=Named("UsagePlanName", 255),
    # A name is no id: a lost creation is looked up in the list.
    beside=Listed(operation="GetUsagePlans", id="id"),
    create="CreateUsagePlan",
    made="id",
    renamed={"UsagePlanName": "name", "Id": "id"},
    modify={patch("UpdateUsagePlan"): "*"},
    parts=(_ApiStages(),),
    delete="DeleteUsagePlan",
    tags=tags("/usageplans/{}"),
    defaults={"ApiStages": [], "Description": "", "Quota": None, "Throttle": None},
    compare_as={"ApiStages": Comparison.SET},
)

API_KEY = block(
    "AWS::ApiGateway::ApiKey",
    "apigateway",
    key="apiKey",
    listed=Listed(operation="GetApiKeys", id="id", size=500),
    described=Described(call=Call("GetApiKey"), anew=True),
    create="CreateApiKey",
    made="id",
    renamed={"APIKeyId": "id"},
    modify={patch("UpdateApiKey"): "*"},
    parts=(_StageKeys(),),
    delete="DeleteApiKey",
    tags=tags("/apikeys/{}"),
    # The value is shown to a caller that asks for it, and Tenuto never does.
    write_only="Value",
    defaults={"Description": "", "CustomerId": "", "Enabled": False},
    compare_as={"StageKeys": Comparison.SET},
)

USAGE_PLAN_KEY = block(
    "AWS::ApiGateway::UsagePlanKey",
    "apigateway",
    key="usagePlanId keyId",
    described=Described(call=Call("GetUsagePlanKey")),
    create="CreateUsagePlanKey",
    shown={"KeyType": "type"},
    attributes={"Id": "$id"},
    delete="DeleteUsagePlanKey",
    exclusive=[("KeyId", "UsagePlanId")],
)
TYPES = (STAGE, USAGE_PLAN, API_KEY, USAGE_PLAN_KEY)
