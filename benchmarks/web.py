"""The dashboard: what its pages cost while a thousand processes are watched by twenty people.

A real server on loopback, processes of a hundred resources each on the simulated provider, and a virtual clock that
stands still while pages are asked for. The processor seconds of a page are those of the server and of the client that
asks for it: on a machine that others use, they tell more than the clock. Statements of SQL, the rows that they give,
and the bytes of an answer are the same on every machine. Viewers hold the stream of marks and fetch what it names, as
browsers do. Where there is a Chromium, one more viewer is a real one, which tells when it painted and when its page
changed. At last all processes are held in real time, first alone and then before twenty onlookers in a process of their
own. The difference is what looking costs, with all that the machine did differently meanwhile; what the threads of the
server took themselves is told beside it, since it holds on a busy machine, too.
"""

import http.client
import json
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlencode

import uvicorn

from benchmarks.browser import painted
from benchmarks.measuring import peak_mb
from benchmarks.onlookers import ONLOOKERS
from benchmarks.worlds import bench_world, composition
from tenuto.bootstrap.log import LogLevels
from tenuto.bootstrap.services import make_services
from tenuto.bootstrap.serving.front import create_front
from tenuto.bootstrap.serving.listening import listen_on
from tenuto.compositions.documents.document import to_document
from tenuto.kit.address import Address
from tenuto.model.event import Event, EventType
from tenuto.model.ids import Fid
from tenuto.ports.store_changes import Append
from tenuto.service.intake.composition import Submission
from tenuto.service.services import Services
from tenuto.storage.rows.columns import Row
from tenuto.storage.rows.statements import Statements
from tenuto.web.guard import Door
from tenuto_testing.world import World

SECRET = "a secret of a benchmark"
PER_PROCESS = 100
VIEWERS = 20
MARKS_PER_S = 50
WATCHED_S = 8.0
HELD_S = 30.0
"""A period, in which each process has one job."""
SERVER = "server of pages"
_ROUNDS = 15


def web(size: int) -> list[dict[str, Any]]:
    """Pages and marks of `size` processes."""
    rows: list[dict[str, Any]] = []
    with bench_world(size) as bench:
        world = bench.world
        document = to_document(composition(PER_PROCESS))
        for number in range(size):
            world.system.commands.run(Submission(document=document, secrets={}), alias=f"shop-{number:04}")
        world.settle()
        services = make_services(world.system, clock=world.clock, secret=SECRET, levels=LogLevels("ERROR"))
        began = time.perf_counter()
        services.board.rows()
        rows.append(_row("board, first fill", size, [time.perf_counter() - began]))
        with _served(services) as port:
            visitor = _Visitor(port)
            for step, path in (
                ("overview", "/"),
                ("processes, 100 rows", "/processes"),
                ("processes, filtered", "/processes?q=shop-05&sort=name"),
                ("a process", "/processes/shop-0001"),
                ("its graph", "/processes/shop-0001/graph"),
                ("a resource", "/processes/shop-0001/resources/Net00000"),
                ("its plan", "/processes/shop-0001/plan"),
                ("events", "/events"),
                ("phases", "/phases"),
                ("a phase", "/phases/resource.create"),
                ("find", "/find?q=shop-0001"),
            ):
                visitor.get(path)
                with _counted() as counted:
                    text = visitor.get(path)
                cpu = time.process_time()
                row = _row(step, size, [_timed(lambda path=path: visitor.get(path)) for _ in range(_ROUNDS)])
                cost = {"cpu ms": 1000 * (time.process_time() - cpu) / _ROUNDS, "KB": len(text.encode()) / 1000}
                rows.append(row | cost | counted)
            rows += _watched(world, size, port)
            rows += _held(world, size, port)
    return [row | {"peak MB": peak_mb()} for row in rows]


def _watched(world: World, size: int, port: int) -> list[dict[str, Any]]:
    """Twenty viewers while something happens fifty times a second; how late each of them has it on its page."""
    stop = threading.Event()
    stamps: dict[int, float] = {}
    late: list[float] = []
    viewers = [threading.Thread(target=_view, args=(port, stop, stamps, late), daemon=True) for _ in range(VIEWERS)]
    for one in viewers:
        one.start()
    time.sleep(1.5)
    fids = [process.fid for process in world.store.processes()]
    with painted(port, _Visitor(port).cookie) as seen:
        cpu, began, number = time.process_time(), time.perf_counter(), 0
        while time.perf_counter() - began < WATCHED_S:
            _happen(world, fids[number % len(fids)], number, stamps)
            number += 1
            time.sleep(max(0.0, began + number / MARKS_PER_S - time.perf_counter()))
        share = (time.process_time() - cpu) / (time.perf_counter() - began)
        time.sleep(1.0)
        found = seen()
    stop.set()
    rows = [_row(f"event to page, {VIEWERS} viewers", size, late) | {"cpu share": share}]
    if found["paint"]:
        rows.append(_row("first paint, Chromium", size, found["paint"]))
    if found["late"]:
        rows.append(_row("event to page, Chromium", size, found["late"]))
    return rows


def _held(world: World, size: int, port: int) -> list[dict[str, Any]]:
    """The processor seconds of a period in which everything is as declared, alone and before onlookers."""
    world.advance(HELD_S)
    alone, _, _ = _period(world)
    command = [sys.executable, "-m", "benchmarks.onlookers", str(port), SECRET, str(HELD_S + 6)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as onlookers:
        time.sleep(5.0)
        watched, pages, workers = _period(world)
        told = json.loads(onlookers.communicate()[0])
    row = {"resources": size * PER_PROCESS, "processes": size}
    return [
        {"step": "held for a period, alone", "cpu share": alone / HELD_S, **row},
        {
            "step": f"held for a period, {ONLOOKERS} onlookers",
            "cpu share": watched / HELD_S,
            "more than alone": watched / alone - 1,
            "pages, of alone": pages / alone,
            "parts": told["fetched"],
            "parts that were the same": told["same"],
            "streams": told["streams"],
            "KB": told["KB"],
            "workers of pages": workers,
            **row,
        },
    ]


def _period(world: World) -> tuple[float, float, int]:
    """A period of the virtual clock in as many real seconds: its processor seconds, those of the threads that serve
    pages, and how many of these work after it. Those that were needed to sign in have ended by then."""
    cpu, before, began = time.process_time(), _serving_s(), time.monotonic()
    for second in range(int(HELD_S)):
        world.advance(1.0)
        time.sleep(max(0.0, began + second + 1 - time.monotonic()))
    workers = sum("AnyIO" in one.name for one in threading.enumerate())
    pages = sum(seconds - before.get(name, 0.0) for name, seconds in _serving_s().items())
    return time.process_time() - cpu, pages, workers


def _serving_s() -> dict[int, float]:
    """The processor seconds of the server's loop and of each of its threads that live, by their ids. One that ends
    takes its seconds along: a difference lacks what it took, which is next to nothing after the sign-ins."""
    serving = [one for one in threading.enumerate() if one.name == SERVER or "AnyIO" in one.name]
    idents = [one.ident for one in serving if one.ident is not None]
    return {ident: time.clock_gettime(time.pthread_getcpuclockid(ident)) for ident in idents}


@contextmanager
def _counted() -> Iterator[dict[str, int]]:
    """The statements that are run meanwhile, and the rows that they give."""
    counted = {"statements": 0, "rows": 0}
    run, every = Statements.run, Statements.all

    def counting_run(self: Statements, name: str, parameters: dict[str, Any]) -> Any:
        counted["statements"] += 1
        return run(self, name, parameters)

    def counting_all(self: Statements, name: str, parameters: dict[str, Any]) -> list[Row]:
        found = every(self, name, parameters)
        counted["rows"] += len(found)
        return found

    Statements.run, Statements.all = counting_run, counting_all  # type: ignore[method-assign]
    try:
        yield counted
    finally:
        Statements.run, Statements.all = run, every  # type: ignore[method-assign]


def _happen(world: World, fid: Fid, number: int, stamps: dict[int, float]) -> None:
    text = f"happened-{number:06}"
    event = Event(at=world.clock.now(), type=EventType.JOB_FINISHED, fid=fid, subject=text, reason=f"{time.time():.6f}")
    world.system.store.commit([Append(events=(event,))])
    stamps[number] = time.perf_counter()


def _view(port: int, stop: threading.Event, stamps: dict[int, float], late: list[float]) -> None:
    """One viewer of the events: it reads the stream, and fetches its part as the page's script does."""
    visitor = _Visitor(port)
    seen = -1
    fetched = 0.0
    for line in visitor.stream("/live"):
        if stop.is_set():
            return
        if not line.startswith(b"event: marks"):
            continue
        time.sleep(max(0.0, fetched + 0.4 - time.perf_counter()))
        fetched = time.perf_counter()
        try:
            text = visitor.get("/events?part=rows")
        except (http.client.HTTPException, OSError):
            return  # The server has ended, and with it the measurement.
        now = time.perf_counter()
        newest = max((int(part[:6]) for part in text.split("happened-")[1:]), default=-1)
        late += [now - stamps[number] for number in range(seen + 1, newest + 1) if number in stamps]
        seen = max(seen, newest)


class _Visitor:
    """A client that has signed in, on one connection that stays open."""

    def __init__(self, port: int) -> None:
        self._origin = f"127.0.0.1:{port}"
        self._port = port
        self._connection = http.client.HTTPConnection("127.0.0.1", port)
        headers = {
            "Origin": f"http://{self._origin}",
            "Content-Type": "application/x-www-form-urlencoded",
        }
        self._connection.request("POST", "/login", urlencode({"secret": SECRET}), headers)
        response = self._connection.getresponse()
        response.read()
        self.cookie = (response.getheader("Set-Cookie") or "").partition(";")[0]

    def get(self, path: str) -> str:
        self._connection.request("GET", path, headers={"Cookie": self.cookie})
        response = self._connection.getresponse()
        text = response.read().decode()
        assert response.status == 200, (path, response.status, text[:500])
        return text

    def stream(self, path: str) -> Iterator[bytes]:
        connection = http.client.HTTPConnection("127.0.0.1", self._port)
        connection.request("GET", path, headers={"Cookie": self.cookie})
        response = connection.getresponse()
        while line := response.readline():
            yield line


@contextmanager
def _served(services: Services) -> Iterator[int]:
    listener = listen_on(Address(host="127.0.0.1", port=0), "--listen")
    listener.listen()
    port = listener.getsockname()[1]
    app = create_front(services, Door(host="127.0.0.1", port=port), lambda: server.should_exit)
    server = uvicorn.Server(
        uvicorn.Config(
            app,
            log_config=None,
            lifespan="off",
            timeout_graceful_shutdown=1,
            ws="none",
            http="h11",
            timeout_keep_alive=60,
        )
    )
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, name=SERVER)
    thread.start()
    try:
        yield port
    finally:
        server.should_exit = True
        thread.join()
        listener.close()


def _timed(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def _row(step: str, size: int, seconds: list[float]) -> dict[str, Any]:
    if not seconds:
        return {"step": f"{step}: nothing came", "resources": size * PER_PROCESS, "processes": size}
    ordered = sorted(seconds)
    p95 = ordered[min(len(ordered) - 1, int(len(ordered) * 0.95))]
    return {
        "step": step,
        "resources": size * PER_PROCESS,
        "processes": size,
        "samples": len(seconds),
        "median ms": 1000 * statistics.median(seconds),
        "p95 ms": 1000 * p95,
    }
