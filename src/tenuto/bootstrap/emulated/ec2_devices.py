"""Devices of machines with operations of their own: moto makes their volumes without, and refuses what must have some.

`Instance.add_block_device` is not told `Iops` and `Throughput`. What is asked of the devices is remembered while the
machine is made, and given to the volume by the name of its device.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from types import MappingProxyType
from typing import Any

from moto.ec2.models.elastic_block_store import EBSBackend
from moto.ec2.models.instances import Instance, InstanceBackend

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


def add() -> None:
    """Give them."""
    setattr(InstanceBackend, "run_instances", _run)  # noqa: B010
    setattr(Instance, "add_block_device", _add)  # noqa: B010
    setattr(EBSBackend, "create_volume", _create)  # noqa: B010
