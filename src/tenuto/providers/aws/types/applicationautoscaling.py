"""AWS::ApplicationAutoScaling: scalable targets and their policies.

Nothing lists all targets, only those of one service: so each tracked one is asked for. A target is known by the thing
that it scales, and a policy by its name besides, which is declared as three properties or as the target's own id.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from tenuto.errors import PermanentError
from tenuto.model.ids import Json, JsonMap
from tenuto.model.outcome import Outcome, Request
from tenuto.model.rate import MemberCalls
from tenuto.model.resource import Comparison
from tenuto.providers.aws.blocks.block import block
from tenuto.providers.aws.blocks.calls import Call, Described, Listed
from tenuto.providers.aws.blocks.ids import ID
from tenuto.providers.aws.blocks.parts import Plain
from tenuto.providers.aws.blocks.thing import Thing
from tenuto.providers.aws.blocks.wire import declared
from tenuto.providers.aws.kind import AwsType, Work
from tenuto.providers.aws.types.facts import member, published
from tenuto.providers.aws.types.named import Named

_SERVICE = "application-autoscaling"
_TARGET = "AWS::ApplicationAutoScaling::ScalableTarget"
_PLACE = ("ResourceId", "ScalableDimension", "ServiceNamespace")
_WORDS = " ".join(_PLACE)
_ASKED = Call("DescribeScalableTargets", key="ResourceIds[] ScalableDimension ServiceNamespace")
_ACTIONS = Listed(operation="DescribeScheduledActions", id="ScheduledActionName", members="ScheduledActions")
_ALL = "ScheduledActions"
_NAME = "ScheduledActionName"


@dataclass(frozen=True, kw_only=True)
class _Actions(Plain):
    """The scheduled actions of a target. To put one replaces the one of its name."""

    @property
    def properties(self) -> frozenset[str]:
        return frozenset({_ALL})

    def read(self, thing: Thing) -> dict[str, Json]:
        about = Call(_ACTIONS.operation).about(thing.words, thing.id)
        shown = list(thing.client.pages(_ACTIONS.paging(thing.service), **about))
        return declared({_ALL: shown}, published(_TARGET), [_ALL], {}, {})

    def repair(self, work: Work, service: str, words: str) -> None:
        if not work.differs(_ALL):
            return
        wanted, present = list(work.want(_ALL) or ()), list(work.seen(_ALL) or ())
        about = Call("PutScheduledAction").about(words, work.id)
        for one in wanted:
            if one not in present:
                work.change(service, "PutScheduledAction", **about, **one)
        kept = {one[_NAME] for one in wanted}
        for one in present:
            if one[_NAME] not in kept:
                work.let_go(service, "DeleteScheduledAction", **about, ScheduledActionName=one[_NAME])

    def members(self, service: str) -> Mapping[str, MemberCalls]:
        return {_ALL: member(f"{service}:PutScheduledAction", f"{service}:DeleteScheduledAction", key=_NAME)}


@dataclass(frozen=True, kw_only=True)
class _Tags(Plain):
    """The tags of a target, read where they are declared: they mark nothing, since a target is known by its place."""

    properties = frozenset({"Tags"})

    def read(self, thing: Thing) -> dict[str, Json]:
        shown = thing.answer or _described(thing.client.read, thing.words, thing.id)
        tags = thing.client.read(thing.service, "ListTagsForResource", ResourceARN=shown["ScalableTargetARN"])["Tags"]
        return {"Tags": [{"Key": key, "Value": tags[key]} for key in sorted(tags or {})]}

    def at_birth(self, work: Work) -> dict[str, Json]:
        return {"Tags": given} if (given := _pairs(work.want("Tags"))) else {}

    def repair(self, work: Work, service: str, words: str) -> None:
        if not work.differs("Tags"):
            return
        arn = _described(work.read, words, work.id)["ScalableTargetARN"]
        wanted, present = _pairs(work.want("Tags")), _pairs(work.seen("Tags"))
        if put := {key: value for key, value in wanted.items() if present.get(key) != value}:
            work.change(service, "TagResource", ResourceARN=arn, Tags=put)
        if gone := sorted(present.keys() - wanted.keys()):
            work.change(service, "UntagResource", ResourceARN=arn, TagKeys=gone)

    def changes(self, service: str) -> Mapping[str, str]:
        return {"Tags": f"{service}:TagResource"}


def _pairs(tags: Json) -> dict[str, Json]:
    return {str(tag["Key"]): tag["Value"] for tag in tags or ()}


def _described(read: Callable[..., JsonMap], words: str, target: str) -> JsonMap:
    """A target as its service shows it. Raises PermanentError when there is none."""
    shown = read(_SERVICE, _ASKED.operation, **_ASKED.about(words, target))["ScalableTargets"]
    if not shown:
        raise PermanentError(f"There is no {_TARGET} {target}.", code="ResourceNotFound")
    found: JsonMap = shown[0]
    return found


TARGET = block(
    _TARGET,
    _SERVICE,
    key=_WORDS,
    described=Described(
        call=_ASKED,
        at="ScalableTargets[0]",
        gone_at="ScalableTargets == `[]`",
    ),
    # The call that registers a target changes one that is there.
    asks_first=True,
    create="RegisterScalableTarget",
    modify={"RegisterScalableTarget": "*"},
    parts=(_Actions(), _Tags()),
    delete="DeregisterScalableTarget",
    attributes={"Id": "$id"},
    compare_as={
        _ALL: Comparison.SET,
        f"{_ALL}.EndTime": Comparison.MOMENT,
        f"{_ALL}.StartTime": Comparison.MOMENT,
        "Tags": Comparison.SET,
    },
    defaults={
        _ALL: [],
        "Tags": [],
        "SuspendedState": dict.fromkeys(
            ("DynamicScalingInSuspended", "DynamicScalingOutSuspended", "ScheduledScalingSuspended"), False
        ),
    },
    exclusive=[_PLACE],
)


def _with_place(request: Request) -> Request:
    """The request with the place that a declared target names."""
    target = request.properties.get("ScalingTargetId")
    parts = str(target or "").split(ID)
    place: JsonMap = dict(zip(_PLACE, parts, strict=True)) if len(parts) == len(_PLACE) else {}
    return replace(request, properties={**place, **request.properties})


def _placed(kind: AwsType) -> AwsType:
    """The type, of which each act knows the place that a declared target names."""
    create, sought = kind.create, kind.find_name
    assert sought is not None

    def make(work: Work) -> Outcome:
        return create(replace(work, request=_with_place(work.request)))

    return replace(
        kind,
        create=make,
        find_name=lambda request: sought(_with_place(request)),
        is_found=lambda request, item: kind.is_found(_with_place(request), item),
    )


POLICY = _placed(
    block(
        "AWS::ApplicationAutoScaling::ScalingPolicy",
        _SERVICE,
        key=f"{_WORDS} PolicyName",
        described=Described(
            call=Call("DescribeScalingPolicies", key=f"{_WORDS} PolicyNames[]"),
            at="ScalingPolicies",
            # An emulator may show all policies of the target.
            chosen_by="PolicyName",
            gone_at="ScalingPolicies != `null`",
        ),
        # One of a target, however that is declared.
        named=Named("PolicyName", 255, is_of_many=True),
        # The call that makes a policy replaces one that is there.
        asks_first=True,
        create="PutScalingPolicy",
        modify={"PutScalingPolicy": "*"},
        delete="DeleteScalingPolicy",
        attributes={"Ref": "PolicyARN", "Arn": "PolicyARN"},
        exclusive=[(*_PLACE, "PolicyName"), ("ScalingTargetId", "PolicyName")],
        named_by="",
    )
)
TYPES = (TARGET, POLICY)
