"""The agent of one host: it calls the Conductor, does what that orders, and tells what there is.

It imports nothing of the Conductor: `wire`, the ports in `driver`, and a driver of its own.
"""
