"""Virtual machines: QEMU, one process each, on the networks that the driver `ns` makes."""

from tenuto.providers.local.drivers.qemu.host import make_driver

__all__ = ["make_driver"]
