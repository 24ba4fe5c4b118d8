"""The policies of a classic load balancer: cookies for sticky sessions, and policies of other types.

Theory of operation. A policy never changes: another one takes its name, and ELB deletes none that is in use. So one
that is not as declared is taken off its listeners, made anew, and put on them again. The listeners that use a policy
are read right before, since they may have been changed by the same repair.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from tenuto.core.planning.equality.values import means_same
from tenuto.model.ids import Json, JsonMap
from tenuto.model.resource import Comparison, Rule
from tenuto.providers.aws.blocks.parts import Plain, Shown
from tenuto.providers.aws.blocks.thing import Thing
from tenuto.providers.aws.client.answers.answers import only
from tenuto.providers.aws.client.texts import text_of
from tenuto.providers.aws.kind import Work

POLICIES = "Policies"
_PORTS = ("InstancePorts", "LoadBalancerPorts")
RULES: Mapping[str, Rule] = {
    # ELB adds attributes to policies, and policies to listeners with TLS.
    POLICIES: Comparison.MEMBERS,
    f"{POLICIES}.Attributes": Comparison.MEMBERS,
    f"{POLICIES}.InstancePorts": Comparison.SET,
    f"{POLICIES}.LoadBalancerPorts": Comparison.MEMBERS,
}


def described(work: Work) -> JsonMap:
    """The load balancer as it is now."""
    answer = work.read("elb", "DescribeLoadBalancers", LoadBalancerNames=[work.id])
    found: JsonMap = only(answer, "LoadBalancerDescriptions")
    return found


def set_on(work: Work, port: Json, names: list[str]) -> None:
    """Give a listener these policies and no others."""
    work.change(
        "elb",
        "SetLoadBalancerPoliciesOfListener",
        LoadBalancerName=work.id,
        LoadBalancerPort=int(port),
        PolicyNames=names,
    )


def _uses(load_balancer: JsonMap, name: str) -> list[JsonMap]:
    """The listeners that have a policy."""
    return [one for one in load_balancer.get("ListenerDescriptions") or () if name in (one.get("PolicyNames") or ())]


def _made_anew(work: Work, name: str, is_there: bool, make: Callable[[], object]) -> None:
    """Make a policy; one of its name goes before, and its listeners get the new one."""
    users = _uses(described(work), name) if is_there else []
    if is_there:
        _drop(work, name, users)
    make()
    for one in users:
        set_on(work, one["Listener"]["LoadBalancerPort"], list(one["PolicyNames"]))


def _drop(work: Work, name: str, users: list[JsonMap]) -> None:
    for one in users:
        set_on(work, one["Listener"]["LoadBalancerPort"], [other for other in one["PolicyNames"] if other != name])
    work.let_go("elb", "DeleteLoadBalancerPolicy", LoadBalancerName=work.id, PolicyName=name)


@dataclass(frozen=True, kw_only=True)
class Cookies(Shown):
    """One list of policies for sticky sessions: `shown` names it in a description, `make` the call that makes one."""

    name: str
    shown: str
    make: str

    @property
    def properties(self) -> frozenset[str]:
        return frozenset({self.name})

    def read(self, thing: Thing) -> dict[str, Json]:
        found: list[JsonMap] = (thing.answer.get("Policies") or {}).get(self.shown) or []
        return {self.name: [{key: text_of(value) for key, value in one.items()} for one in found]}

    def repair(self, work: Work, service: str, words: str) -> None:
        if not work.differs(self.name):
            return
        present = {one["PolicyName"]: one for one in work.seen(self.name) or ()}
        wanted = {one["PolicyName"]: one for one in work.want(self.name)}
        for name, one in wanted.items():
            if name not in present or not means_same(one, present[name], {}):
                given = {key: int(value) if key == "CookieExpirationPeriod" else value for key, value in one.items()}
                _made_anew(
                    work,
                    name,
                    name in present,
                    lambda given=given: work.change(service, self.make, LoadBalancerName=work.id, **given),  # type: ignore[misc]
                )
        for name in sorted(present.keys() - wanted.keys()):
            _drop(work, name, _uses(described(work), name))

    def changes(self, service: str) -> Mapping[str, str]:
        return {self.name: f"{service}:{self.make}"}


@dataclass(frozen=True, kw_only=True)
class Policies(Plain):
    """The policies of all other types, with the ports that they are put on."""

    properties = frozenset({POLICIES})

    def read(self, thing: Thing) -> dict[str, Json]:
        answer = thing.client.read(thing.service, "DescribeLoadBalancerPolicies", LoadBalancerName=thing.id)
        return {POLICIES: [self._policy(one, thing.answer) for one in answer.get("PolicyDescriptions") or ()]}

    def _policy(self, policy: JsonMap, load_balancer: JsonMap) -> dict[str, Json]:
        name = policy["PolicyName"]
        behind = load_balancer.get("BackendServerDescriptions") or ()
        return {
            "PolicyName": name,
            "PolicyType": policy.get("PolicyTypeName"),
            "Attributes": [
                {"Name": one["AttributeName"], "Value": one["AttributeValue"]}
                for one in policy.get("PolicyAttributeDescriptions") or ()
            ],
            "LoadBalancerPorts": [str(one["Listener"]["LoadBalancerPort"]) for one in _uses(load_balancer, name)],
            "InstancePorts": [str(one["InstancePort"]) for one in behind if name in (one.get("PolicyNames") or ())],
        }

    def repair(self, work: Work, service: str, words: str) -> None:
        if not work.differs(POLICIES):
            return
        present = {one["PolicyName"]: one for one in work.seen(POLICIES) or ()}
        for one in work.want(POLICIES):
            own = {key: value for key, value in one.items() if key not in _PORTS}
            name, rules = one["PolicyName"], {"Attributes": Comparison.MEMBERS}
            if name not in present or not means_same(own, present[name], rules):
                _made_anew(work, name, name in present, lambda one=one: self._make(work, one))  # type: ignore[misc]
        self._place(work)

    def _make(self, work: Work, policy: JsonMap) -> None:
        attributes = [
            {"AttributeName": one["Name"], "AttributeValue": text_of(one.get("Value", ""))}
            for one in policy.get("Attributes") or ()
        ]
        work.change(
            "elb",
            "CreateLoadBalancerPolicy",
            LoadBalancerName=work.id,
            PolicyName=policy["PolicyName"],
            PolicyTypeName=policy["PolicyType"],
            PolicyAttributes=attributes,
        )

    def _place(self, work: Work) -> None:
        """Put the policies on the listeners and the ports of machines that they name."""
        load_balancer, wanted = described(work), list(work.want(POLICIES))
        for listener in load_balancer.get("ListenerDescriptions") or ():
            port, names = listener["Listener"]["LoadBalancerPort"], list(listener.get("PolicyNames") or ())
            missing = [name for name in _on(wanted, "LoadBalancerPorts", port) if name not in names]
            if missing:
                set_on(work, port, [*names, *missing])
        behind = {
            str(one["InstancePort"]): list(one.get("PolicyNames") or ())
            for one in load_balancer.get("BackendServerDescriptions") or ()
        }
        declared = {str(port) for one in wanted for port in one.get("InstancePorts") or ()}
        for port in sorted({*behind, *declared}):
            names = list(_on(wanted, "InstancePorts", port))
            if sorted(names) != sorted(behind.get(port, [])):
                work.change(
                    "elb",
                    "SetLoadBalancerPoliciesForBackendServer",
                    LoadBalancerName=work.id,
                    InstancePort=int(port),
                    PolicyNames=names,
                )

    def changes(self, service: str) -> Mapping[str, str]:
        return {POLICIES: f"{service}:CreateLoadBalancerPolicy"}


def _on(policies: list[JsonMap], ports: str, port: Json) -> Iterator[str]:
    """The names of the policies that are declared for a port."""
    return (str(one["PolicyName"]) for one in policies if str(port) in map(str, one.get(ports) or ()))
