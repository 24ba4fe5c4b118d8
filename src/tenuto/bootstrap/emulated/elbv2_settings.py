"""Settings of load balancers, target groups and rules that moto does not keep: source addresses of version 6, rules for
private links, pools of addresses, the reserved capacity, the port for control, and transforms."""

from typing import Any

from moto.core.responses import ActionResult
from moto.elbv2.exceptions import InvalidConfigurationRequest
from moto.elbv2.responses import ELBV2Response

_ENFORCE, _PREFIX = "EnforceSecurityGroupInboundRulesOnPrivateLinkTraffic", "EnablePrefixForIpv6SourceNat"
_create: Any = ELBV2Response.create_load_balancer
_set_groups: Any = ELBV2Response.set_security_groups
_set_subnets: Any = ELBV2Response.set_subnets
_make_group: Any = ELBV2Response.create_target_group
_make_rule: Any = ELBV2Response.create_rule
_modify_rule: Any = ELBV2Response.modify_rule


def _balancer(self: Any) -> Any:
    [found] = self.elbv2_backend.describe_load_balancers([self._get_param("LoadBalancerArn")], None)
    return found


def _show(balancer: Any, name: str, value: Any) -> None:
    """Keep a setting of network load balancers, which others are refused. Raises InvalidConfigurationRequest."""
    if balancer.type != "network":
        raise InvalidConfigurationRequest(f"{name} is supported for load balancers of the type network alone.")
    if name == _PREFIX and value == "on" and balancer.ip_address_type != "dualstack":
        raise InvalidConfigurationRequest("The IP address type must be dualstack.")
    setattr(balancer, name, value)


def _create_balancer(self: Any) -> Any:
    answer = _create(self)
    [balancer] = answer.result["LoadBalancers"]
    given = self._get_params()
    if balancer.type == "network":
        _show(balancer, _PREFIX, given.get(_PREFIX, "off"))
        _show(balancer, _ENFORCE, "on")
    elif _PREFIX in given:
        _show(balancer, _PREFIX, given[_PREFIX])
    balancer.IpamPools = given.get("IpamPools")
    return answer


def _set_security_groups(self: Any) -> Any:
    enforced = self._get_param(_ENFORCE)
    if enforced:
        _show(_balancer(self), _ENFORCE, enforced)
    return _set_groups(self)


def _set_the_subnets(self: Any) -> Any:
    balancer, kind, prefix = _balancer(self), self._get_param("IpAddressType"), self._get_param(_PREFIX)
    if kind:
        balancer.ip_address_type = kind
    if prefix:
        _show(balancer, _PREFIX, prefix)
    return _set_subnets(self)


def _modify_pools(self: Any) -> ActionResult:
    balancer, given = _balancer(self), self._get_params()
    balancer.IpamPools = given.get("IpamPools", None if given.get("RemoveIpamPools") else balancer.IpamPools)
    return ActionResult({"IpamPools": balancer.IpamPools or {}})


def _modify_capacity(self: Any) -> ActionResult:
    balancer, given = _balancer(self), self._get_params()
    balancer.capacity = None if given.get("ResetCapacityReservation") else given["MinimumLoadBalancerCapacity"]
    return _capacity(self)


def _capacity(self: Any) -> ActionResult:
    capacity = getattr(_balancer(self), "capacity", None)
    shown = {"MinimumLoadBalancerCapacity": {"CapacityUnits": int(capacity["CapacityUnits"])}} if capacity else {}
    return ActionResult({**shown, "CapacityReservationState": [{"State": {"Code": "provisioned"}}]})


def _make_target_group(self: Any) -> Any:
    answer = _make_group(self)
    port = self._get_param("TargetControlPort")
    answer.result["TargetGroups"][0].TargetControlPort = int(port) if port else None
    return answer


def _make_with_transforms(self: Any) -> Any:
    answer = _make_rule(self)
    answer.result["Rules"][0].Transforms = self._get_params().get("Transforms", [])
    return answer


def _modify_with_transforms(self: Any) -> Any:
    given = self._get_params()
    if "Transforms" not in given and "ResetTransforms" not in given:
        return _modify_rule(self)
    [rule] = self.elbv2_backend.describe_rules(listener_arn=None, rule_arns=[given["RuleArn"]])
    rule.Transforms = given.get("Transforms", [])
    if "Conditions" in given or "Actions" in given:
        _modify_rule(self)
    return ActionResult({"Rules": [rule]})


def add() -> None:
    """Keep and show them."""
    for name, call in (
        ("create_load_balancer", _create_balancer),
        ("set_security_groups", _set_security_groups),
        ("set_subnets", _set_the_subnets),
        ("modify_ip_pools", _modify_pools),
        ("modify_capacity_reservation", _modify_capacity),
        ("describe_capacity_reservation", _capacity),
        ("create_target_group", _make_target_group),
        ("create_rule", _make_with_transforms),
        ("modify_rule", _modify_with_transforms),
    ):
        setattr(ELBV2Response, name, call)
