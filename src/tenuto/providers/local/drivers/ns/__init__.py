"""Machines that share the kernel of their host, each in namespaces of its own."""

from tenuto.providers.local.drivers.ns.host import make_driver

__all__ = ["make_driver"]
