"""Containers of machines that reserve memory and have no limit.

Moto wants a limit where a task runs on EC2; ECS wants one of the two (the reference of ContainerDefinition).
"""

from typing import Any

from moto.ecs.models import EC2ContainerServiceBackend

_ON_MACHINES = "EC2"
_check: Any = EC2ContainerServiceBackend._validate_container_defs


def _check_containers(memory: str | None, containers: list[dict[str, Any]], compatible: list[str] | None) -> None:
    _check(memory, containers, [one for one in compatible or () if one != _ON_MACHINES])


def add() -> None:
    """Take them."""
    setattr(EC2ContainerServiceBackend, "_validate_container_defs", staticmethod(_check_containers))  # noqa: B010
