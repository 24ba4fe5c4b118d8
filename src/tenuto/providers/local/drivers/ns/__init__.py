"""Machines that share the kernel of their host, each in namespaces of its own."""
