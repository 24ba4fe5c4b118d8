"""Messages and hooks of an Auto Scaling group: they hang on it and are declared in it.

Both cost a call for each group and are read in turns. A hook that is a resource of its own is none of its group's.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from tenuto.model.ids import Json, JsonMap
from tenuto.providers.aws.blocks.calls import Listed
from tenuto.providers.aws.blocks.ids import ID
from tenuto.providers.aws.blocks.parts import Plain
from tenuto.providers.aws.blocks.thing import Thing
from tenuto.providers.aws.kind import Scope, Work, texts

MESSAGES, MESSAGE = "NotificationConfigurations", "NotificationConfiguration"
"""The list of messages, and its older name, which takes one."""
HOOKS = "LifecycleHookSpecificationList"
_HOOK = "AWS::AutoScaling::LifecycleHook"
_KINDS = frozenset(
    f"autoscaling:EC2_INSTANCE_{word}" for word in ("LAUNCH", "LAUNCH_ERROR", "TERMINATE", "TERMINATE_ERROR")
)
"""The messages of a topic for which no kinds are named."""
_FIELDS = (
    *("LifecycleHookName", "LifecycleTransition", "DefaultResult", "HeartbeatTimeout"),
    *("NotificationMetadata", "NotificationTargetARN", "RoleARN"),
)
_TOPICS = Listed(operation="DescribeNotificationConfigurations", id="TopicARN", members=MESSAGES, size=100)


@dataclass(frozen=True, kw_only=True)
class Messages(Plain):
    """The topics that hear of machines that come and go, each with the kinds of messages that it gets."""

    properties = frozenset({MESSAGES, MESSAGE})

    def read(self, thing: Thing) -> dict[str, Json]:
        kinds: dict[str, list[str]] = {}
        for one in thing.client.pages(_TOPICS.paging(thing.service), AutoScalingGroupNames=[thing.id]):
            kinds.setdefault(str(one["TopicARN"]), []).append(str(one["NotificationType"]))
        shown = [{"TopicARN": topic, "NotificationTypes": sorted(kinds[topic])} for topic in sorted(kinds)]
        return {MESSAGES: shown, **({MESSAGE: shown[0]} if len(shown) == 1 else {})}

    def repair(self, work: Work, service: str, words: str) -> None:
        if not work.differs(MESSAGES) and not work.differs(MESSAGE):
            return
        about = {"AutoScalingGroupName": work.id}
        seen = _by_topic(work.seen(MESSAGES) or ())
        wanted = _by_topic([*(work.want(MESSAGES) or ()), *filter(None, [work.want(MESSAGE)])])
        for topic, kinds in sorted(wanted.items()):
            if seen.get(topic) != kinds:
                given = {"TopicARN": topic, "NotificationTypes": sorted(kinds)}
                work.change(service, "PutNotificationConfiguration", **about, **given)
        for topic in sorted(seen.keys() - wanted.keys()):
            work.let_go(service, "DeleteNotificationConfiguration", **about, TopicARN=topic)

    def changes(self, service: str) -> Mapping[str, str]:
        return dict.fromkeys((MESSAGES, MESSAGE), f"{service}:PutNotificationConfiguration")


def _by_topic(declared: Json) -> dict[str, frozenset[str]]:
    return {
        topic: frozenset(texts(one.get("NotificationTypes"))) or _KINDS
        for one in declared
        for topic in texts(one.get("TopicARN"))
    }


@dataclass(frozen=True, kw_only=True)
class Hooks(Plain):
    """The hooks that a group has from the beginning: they hold its very first machines, too."""

    properties = frozenset({HOOKS})
    heeds = frozenset({_HOOK})

    def read(self, thing: Thing) -> dict[str, Json]:
        shown = thing.client.read(thing.service, "DescribeLifecycleHooks", AutoScalingGroupName=thing.id)
        # The name is asked of the answer itself, which tells that it is damaged where it has none.
        return {HOOKS: [_fields(one) for one in shown.get("LifecycleHooks") or () if one["LifecycleHookName"]]}

    def apart(self, physical_id: str, found: JsonMap, scope: Scope | None) -> JsonMap:
        if scope is None or HOOKS not in found:
            return found
        ids = {f"{physical_id}{ID}{one['LifecycleHookName']}": one for one in found[HOOKS]}
        return {**found, HOOKS: [one for name, one in ids.items() if not scope.is_own(_HOOK, name)]}

    def at_birth(self, work: Work) -> dict[str, Json]:
        return {HOOKS: wanted} if (wanted := work.want(HOOKS)) else {}

    def repair(self, work: Work, service: str, words: str) -> None:
        if not work.differs(HOOKS):
            return
        about = {"AutoScalingGroupName": work.id}
        seen, wanted = (
            {str(one.get("LifecycleHookName")): _fields(one) for one in value or ()}
            for value in (work.seen(HOOKS), work.want(HOOKS))
        )
        for name, hook in sorted(wanted.items()):
            if {**seen.get(name, {}), **hook} != seen.get(name):
                work.change(service, "PutLifecycleHook", **about, **hook)
        for name in sorted(seen.keys() - wanted.keys()):
            work.let_go(service, "DeleteLifecycleHook", **about, LifecycleHookName=name)

    def changes(self, service: str) -> Mapping[str, str]:
        return {HOOKS: f"{service}:PutLifecycleHook"}


def _fields(hook: JsonMap) -> JsonMap:
    return {name: hook[name] for name in _FIELDS if hook.get(name) is not None}
