"""A strict cloud: AWS as far as Tenuto uses it, in process or as a server, with everything that makes AWS hard.

    cloud = Cloud(clock, pace=Pace(), lag=Lag(new_s=2.0), buckets=Buckets())
    session = InProcessSession(cloud)                 # no socket: for simulations on a virtual clock
    with CloudServer(cloud) as server: server.url     # the same cloud behind HTTP on loopback

Where emulators are kind, it is not: see docs/guide/strict-cloud.md.
"""

from tenuto_testing.cloud.buckets import Buckets
from tenuto_testing.cloud.cloud import HOME_ACCOUNT, Cloud
from tenuto_testing.cloud.faults import Failure, Fault
from tenuto_testing.cloud.in_process import InProcessSession
from tenuto_testing.cloud.pace import AT_ONCE, CONSISTENT, Lag, Pace
from tenuto_testing.cloud.quotas import BOUNDLESS, REAL, Quotas
from tenuto_testing.cloud.server import CloudServer
from tenuto_testing.cloud.sessions import ClosedSession

__all__ = [
    "AT_ONCE",
    "BOUNDLESS",
    "CONSISTENT",
    "HOME_ACCOUNT",
    "REAL",
    "Buckets",
    "ClosedSession",
    "Cloud",
    "CloudServer",
    "Failure",
    "Fault",
    "InProcessSession",
    "Lag",
    "Pace",
    "Quotas",
]
