"""`demo --web`: a Conductor with its dashboard on loopback, over a simulated cloud.

Three processes stand, one cannot be built, and every half minute a port is opened by hand: on the pages it is found and
closed again. It stays until it is interrupted, and nothing stays behind.
"""

import secrets
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from tenuto.api.transport.connections import ConnectionLimits
from tenuto.bootstrap.clock import SystemClock
from tenuto.bootstrap.demo.demonstration import quiet, running
from tenuto.bootstrap.demo.folder import demo_folder
from tenuto.bootstrap.demo.telling import Say
from tenuto.bootstrap.log import LogLevels
from tenuto.bootstrap.services import make_services
from tenuto.bootstrap.serving.front import create_front
from tenuto.bootstrap.serving.http_server import http_server
from tenuto.bootstrap.serving.listening import listen_on
from tenuto.bootstrap.system import System
from tenuto.compositions.compile import compile_text
from tenuto.compositions.documents.document import to_document
from tenuto.kit.address import Address
from tenuto.providers.simulated.behaviour import Behaviour
from tenuto.providers.simulated.cloud import Cloud
from tenuto.providers.simulated.provider import SimulatedProvider
from tenuto.service.intake.composition import Submission
from tenuto.service.services import Services
from tenuto.storage.open import open_store
from tenuto.web.guard import Door

MEDDLED_S = 30.0
"""Seconds between two changes by hand: time enough to see that one was repaired."""
_REGION = "sim-1"
_CONNECTIONS = 64
_SECRET_BYTES = 18
SHOP = """\
Resources:
  Net: {Type: Simulated::Network, Properties: {CidrBlock: 10.0.0.0/16, Label: main}}
  Front: {Type: Simulated::Subnet, Properties: {NetworkId: !Ref Net, CidrBlock: 10.0.1.0/24}}
  Web: {Type: Simulated::Group, Properties: {NetworkId: !Ref Net, Ingress: [{Protocol: tcp, Port: 443}]}}
  App: {Type: Simulated::Server, Properties: {SubnetId: !Ref Front, Image: debian-12, GroupIds: [!Ref Web]}}
"""
BROKEN = """\
Resources:
  Net: {Type: Simulated::Network, Properties: {CidrBlock: 10.0.0.0/16}}
  Sub: {Type: Simulated::Subnet, Properties: {NetworkId: !Ref Net, CidrBlock: 10.9.1.0/24}}
"""
"""A composition that cannot be built: its subnet lies outside its network."""
_PROCESSES = (("shop", SHOP), ("orders", SHOP), ("search", SHOP), ("vpn-eu", BROKEN))


def demonstrate_site(*, period_s: float, say: Say) -> None:
    """Serve until KeyboardInterrupt. Raises TenutoError."""
    quiet()
    say(f"A simulated cloud, a Conductor and its dashboard, all temporary. A job every {period_s:g} s.")
    clock = SystemClock()
    cloud = Cloud(clock, Behaviour())
    with demo_folder() as folder:
        store = open_store(str(folder / "tenuto.db"))
        secret = secrets.token_urlsafe(_SECRET_BYTES)
        with (
            running(lambda ops, own: [SimulatedProvider(cloud, clock=own, ops=ops)], store, period_s) as system,
            _served(make_services(system, clock=clock, secret=secret, levels=LogLevels("ERROR")), secret) as (
                place,
                code,
            ),
        ):
            for alias, text in _PROCESSES:
                compiled = compile_text(text, file=f"{alias}.yaml", parameters={}, region=_REGION)
                system.commands.run(Submission(document=to_document(compiled.composition), secrets={}), alias=alias)
            say(f"Open this within a minute: {place}/login#code={code}")
            say(f"Or later, with the secret {secret}: {place}/")
            say(f"Every {MEDDLED_S:.0f} s a port of shop is opened by hand, and the next job closes it.")
            say("Ctrl-C ends everything.")
            _meddle(system, cloud)


def _meddle(system: System, cloud: Cloud) -> None:
    """Open a port again and again, until the interrupt."""
    never = threading.Event()
    while True:
        never.wait(MEDDLED_S)
        shop = system.queries.process("shop")
        group = next((one.current for one in shop.resources if one.logical_id == "Web"), None)
        if group is not None and group.physical_id and group.is_settled:
            opened = [{"Protocol": "tcp", "Port": 443}, {"Protocol": "tcp", "Port": 22}]
            cloud.tamper(group.physical_id, "Ingress", opened)


@contextmanager
def _served(services: Services, secret: str) -> Iterator[tuple[str, str]]:
    """The API and the dashboard on a free port of loopback; gives its URL, and a code that signs in once."""
    listener = listen_on(Address(host="127.0.0.1", port=0), "--web")
    port = listener.getsockname()[1]
    app = create_front(services, Door(host="127.0.0.1", port=port), lambda: server.should_exit)
    server = http_server(app, ConnectionLimits(connections=_CONNECTIONS), None)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, name="site")
    thread.start()

    owner = services.gatekeeper.recognise(secret)
    assert owner is not None, "the secret is that of the owner"
    try:
        yield f"http://127.0.0.1:{port}", services.sessions.make_code(owner)
    finally:
        server.should_exit = True
        thread.join()
        listener.close()
