"""The agent of one host: it calls the Conductor, carries out its orders, and reports the things on the host.

It imports nothing of the Conductor: `wire`, the ports in `driver`, and a driver of its own.
"""
