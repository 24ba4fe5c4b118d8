"""Endpoints for connections to machines without a public address."""

from typing import Any
from uuid import uuid4

from moto.core.responses import ActionResult
from moto.ec2.exceptions import EC2ClientError
from moto.ec2.models.core import TaggedEC2Resource
from moto.ec2.responses import EC2Response
from moto.ec2.utils import EC2_PREFIX_TO_RESOURCE, EC2_RESOURCE_TO_PREFIX, generic_filter

_WORD, _ENDPOINT = "instance-connect-endpoint", "InstanceConnectEndpoint"


class _Endpoint(TaggedEC2Resource):
    """An endpoint, which is there at once."""

    def __init__(self, backend: Any, subnet: Any, groups: list[str], *, preserves: bool) -> None:
        self.ec2_backend = backend
        self.id = self.instance_connect_endpoint_id = f"eice-{uuid4().hex[:17]}"
        place = f"{backend.region_name}:{backend.account_id}"
        self.instance_connect_endpoint_arn = f"arn:aws:ec2:{place}:{_WORD}/{self.id}"
        self.owner_id = backend.account_id
        self.subnet_id, self.vpc_id, self.availability_zone = subnet.id, subnet.vpc_id, subnet.availability_zone
        self.security_group_ids, self.preserve_client_ip = groups, preserves
        self.state = "create-complete"

    def get_filter_value(self, filter_name: str, method_name: str | None = None) -> Any:
        if filter_name == f"{_WORD}-id":
            return self.id
        return super().get_filter_value(filter_name, method_name)


def _endpoints(self: Any) -> dict[str, _Endpoint]:
    found: dict[str, _Endpoint] = vars(self.ec2_backend).setdefault("tenuto_connect_endpoints", {})
    return found


def _known(self: Any, name: str) -> _Endpoint:
    if name not in _endpoints(self):
        raise EC2ClientError("InvalidInstanceConnectEndpointId.NotFound", f"The endpoint '{name}' does not exist.")
    return _endpoints(self)[name]


def _preserves(self: Any) -> bool:
    return str(self._get_param("PreserveClientIp")).lower() == "true"


def _create(self: Any) -> ActionResult:
    subnet = self.ec2_backend.get_subnet(self._get_param("SubnetId"))
    if any(one.subnet_id == subnet.id for one in _endpoints(self).values()):
        raise EC2ClientError("ResourceLimitExceeded", f"The subnet {subnet.id} has an endpoint.")
    groups = self._get_param("SecurityGroupIds", []) or [
        self.ec2_backend.get_default_security_group(subnet.vpc_id).group_id
    ]
    made = _Endpoint(self.ec2_backend, subnet, groups, preserves=_preserves(self))
    _endpoints(self)[made.id] = made
    made.add_tags(self._parse_tag_specification().get(_WORD, {}))
    return ActionResult({_ENDPOINT: made})


def _describe(self: Any) -> ActionResult:
    names = self._get_param(f"{_ENDPOINT}Ids", [])
    found = [_known(self, name) for name in names] or list(_endpoints(self).values())
    return ActionResult({f"{_ENDPOINT}s": generic_filter(self._filters_from_querystring(), found)})


def _modify(self: Any) -> ActionResult:
    one = _known(self, self._get_param(f"{_ENDPOINT}Id"))
    one.security_group_ids = self._get_param("SecurityGroupIds", []) or one.security_group_ids
    if self._get_param("PreserveClientIp") is not None:
        one.preserve_client_ip = _preserves(self)
    return ActionResult({"Return": True})


def _delete(self: Any) -> ActionResult:
    one = _endpoints(self).pop(_known(self, self._get_param(f"{_ENDPOINT}Id")).id)
    one.state = "delete-in-progress"
    return ActionResult({_ENDPOINT: one})


def add() -> None:
    """Add the calls."""
    EC2_PREFIX_TO_RESOURCE["eice"], EC2_RESOURCE_TO_PREFIX[_WORD] = _WORD, "eice"
    for name, call in (("create", _create), ("modify", _modify), ("delete", _delete)):
        setattr(EC2Response, f"{name}_instance_connect_endpoint", call)
    setattr(EC2Response, "describe_instance_connect_endpoints", _describe)  # noqa: B010
