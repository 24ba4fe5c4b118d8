"""Cloud Control of a public emulator that others wrote, as a second opinion on the wire.

It is ministack, which makes whatever it is sent, at once, and knows no schema. So it says nothing of what AWS refuses;
it says that calls, tokens and patches are what another reader of AWS's documents expects. (moto has no Cloud Control.)
ministack needs another botocore than Tenuto, so TENUTO_MINISTACK names the Python of an environment that has it.
"""

import json
import os
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.request import urlopen

import pytest
from ports import free_port

from tenuto.bootstrap.clock import SystemClock
from tenuto.bootstrap.system import System, build
from tenuto.kit.ids import RandomIds
from tenuto.providers.aws.provider import AwsProvider
from tenuto.service.views.process_view import is_converged
from tenuto.storage.file.secrets import KeyedSecrets, new_keys
from tenuto.storage.open import open_store
from tenuto_testing.cloud import ClosedSession
from tenuto_testing.strict_world import REGION, submission

PYTHON = os.environ.get("TENUTO_MINISTACK", "")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not PYTHON, reason="TENUTO_MINISTACK names no Python with ministack (pip install ministack)"),
]
RESOURCES = {
    "Site": {
        "Type": "AWS::Athena::WorkGroup",
        "Properties": {"Name": "records", "Description": "logs"},
    },
    "Front": {
        "Type": "AWS::ApiGatewayV2::Api",
        "Properties": {"Name": "front", "ProtocolType": "HTTP", "Tags": {"team": "blue"}},
    },
}


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    port = free_port()
    child = subprocess.Popen(
        [PYTHON, "-m", "ministack"],
        env=os.environ | {"GATEWAY_PORT": str(port), "LOG_LEVEL": "ERROR"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        address = f"http://127.0.0.1:{port}"
        until(lambda: answers(address))
        yield address
    finally:
        child.terminate()
        child.wait()


@pytest.fixture
def system(url: str, tmp_path: Path) -> Iterator[System]:
    store = open_store(str(tmp_path / "tenuto.db"))
    session = ClosedSession(endpoint=url)
    made = build(
        store=store,
        providers=lambda ops, clock: [AwsProvider(session=session, ops=ops, clock=clock)],
        clock=SystemClock(),
        ids=RandomIds(),
        secrets=KeyedSecrets(new_keys()),
        period_s=1.0,
    )
    stop = threading.Event()
    thread = threading.Thread(target=made.conductor.run, args=(stop,))
    thread.start()
    yield made
    stop.set()
    made.conductor.notify()
    thread.join()
    store.close()


def answers(address: str) -> bool:
    try:
        urlopen(address, timeout=1).close()
    except URLError as error:
        return getattr(error, "code", None) is not None
    except OSError:
        return False
    return True


def until(is_true: Callable[[], bool], patience_s: float = 60.0) -> None:
    deadline = time.monotonic() + patience_s
    while not is_true():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_a_life_in_front_of_a_cloud_that_others_wrote(system: System, url: str, tmp_path: Path) -> None:
    path = tmp_path / "web.json"
    path.write_text(json.dumps({"Resources": RESOURCES}), encoding="utf-8")
    system.commands.run(submission(path), alias="web")
    until(lambda: is_converged(system.queries.process("web").process))
    client: Any = ClosedSession(endpoint=url).create_client("cloudcontrol", REGION)

    def model(type_name: str, identifier: str) -> dict[str, Any]:
        found = client.get_resource(TypeName=type_name, Identifier=identifier)
        shown: dict[str, Any] = json.loads(found["ResourceDescription"]["Properties"])
        return shown

    assert model("AWS::Athena::WorkGroup", "records")["Description"] == "logs"
    assert {"team", "tenuto:object"} <= model("AWS::ApiGatewayV2::Api", "front")["Tags"].keys()
    patch = json.dumps([{"op": "replace", "path": "/Description", "value": "elsewhere"}])
    client.update_resource(TypeName="AWS::Athena::WorkGroup", Identifier="records", PatchDocument=patch)
    until(lambda: model("AWS::Athena::WorkGroup", "records")["Description"] == "logs")
    system.commands.kill("web")
    until(lambda: all(not list_of(client, kind["Type"]) for kind in RESOURCES.values()))


def list_of(client: Any, type_name: Any) -> list[Any]:
    found: list[Any] = client.list_resources(TypeName=type_name)["ResourceDescriptions"]
    return found
