"""Devices of machines with operations of their own: moto makes their volumes without, and refuses those that must have
some.

`Instance.add_block_device` is not told `Iops` and `Throughput`. The declared volume of each device is remembered while
the machine is made, and given to the volume by the name of its device. Volumes have a switch besides, which moto lacks.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from types import MappingProxyType
from typing import Any

from moto.core.responses import ActionResult, EmptyResult
from moto.ec2.models.elastic_block_store import EBSBackend
from moto.ec2.models.instances import Instance, InstanceBackend
from moto.ec2.responses import EC2Response

_GIVEN = {"iops": "Iops", "throughput": "Throughput"}
_NONE: Mapping[str, Any] = MappingProxyType({})
_asked: ContextVar[Mapping[str, Any]] = ContextVar("asked", default=_NONE)
"""The volume of each device of the machine that is being made."""
_made: ContextVar[Mapping[str, Any]] = ContextVar("made", default=_NONE)
"""The volume of the device that is being made."""
_run_instances: Any = InstanceBackend.run_instances
_add_block_device: Any = Instance.add_block_device
_create_volume: Any = EBSBackend.create_volume


@contextmanager
def _while(variable: ContextVar[Mapping[str, Any]], value: Mapping[str, Any]) -> Iterator[None]:
    before = variable.set(value)
    try:
        yield
    finally:
        variable.reset(before)


def _run(self: Any, *given: Any, **more: Any) -> Any:
    devices = more.get("block_device_mappings") or ()
    if more.get("launch_template") and not devices:
        devices = self._get_template_from_args(more["launch_template"]).data.get("BlockDeviceMappings") or ()
    with _while(_asked, {one["DeviceName"]: one.get("Ebs") or {} for one in devices}):
        return _run_instances(self, *given, **more)


def _add(self: Any, size: Any, device_path: str, *given: Any, **more: Any) -> Any:
    with _while(_made, _asked.get().get(device_path, {})):
        return _add_block_device(self, size, device_path, *given, **more)


def _create(self: Any, *given: Any, **more: Any) -> Any:
    told = {ours: int(_made.get()[theirs]) for ours, theirs in _GIVEN.items() if _made.get().get(theirs)}
    return _create_volume(self, *given, **told, **more)


def _show_attribute(self: Any) -> ActionResult:
    """The switch of a volume that lets it work on after a doubt about its data."""
    [volume] = self.ec2_backend.describe_volumes(volume_ids=[self._get_param("VolumeId")])
    value = vars(volume).get("tenuto_auto_enable_io", False)
    return ActionResult({"VolumeId": volume.id, "AutoEnableIO": {"Value": value}})


def _set_attribute(self: Any) -> EmptyResult:
    [volume] = self.ec2_backend.describe_volumes(volume_ids=[self._get_param("VolumeId")])
    vars(volume)["tenuto_auto_enable_io"] = str(self._get_param("AutoEnableIO.Value")).lower() == "true"
    return EmptyResult()


def add() -> None:
    """Give them."""
    setattr(EC2Response, "describe_volume_attribute", _show_attribute)  # noqa: B010
    setattr(EC2Response, "modify_volume_attribute", _set_attribute)  # noqa: B010
    setattr(InstanceBackend, "run_instances", _run)  # noqa: B010
    setattr(Instance, "add_block_device", _add)  # noqa: B010
    setattr(EBSBackend, "create_volume", _create)  # noqa: B010
