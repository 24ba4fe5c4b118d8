"""`ops` lists exactly the calls that changed something: compared with what the emulated AWS itself recorded."""

import base64
import json
import urllib.request
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import botocore.session
import pytest
from live import Live, emulated
from night import by_day

OWN = Path(__file__).parents[1] / "templates" / "own"
READS = ("Describe", "Get", "List", "Head")


@pytest.fixture
def live(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Live]:
    monkeypatch.setenv("MOTO_RECORDER_FILEPATH", str(tmp_path / "recording"))
    monkeypatch.setenv("MOTO_IAM_LOAD_MANAGED_POLICIES", "true")
    with emulated(tmp_path) as running:
        yield running


def recorder(live: Live, act: str, method: str = "POST") -> bytes:
    request = urllib.request.Request(f"{live.endpoint}/moto-api/recorder/{act}", method=method)
    with urllib.request.urlopen(request, timeout=60) as answer:
        found: bytes = answer.read()
    return found


def _of_buckets() -> dict[tuple[str, str], str]:
    """The operations on whole buckets, by the method and the query that S3 tells them apart by."""
    model = botocore.session.get_session().get_service_model("s3")
    found = {}
    for name in model.operation_names:
        http = model.operation_model(name).http
        path, _, query = http["requestUri"].partition("?")
        if path in ("/", "/{Bucket}"):
            found[http["method"], query.split("&")[0]] = name
    return found


OF_BUCKETS = _of_buckets()


def operation(call: dict[str, Any]) -> str:
    """The name of a recorded call: said in a header, or in the body, by every protocol but that of S3."""
    headers = {name.casefold(): value for name, value in call["headers"].items()}
    if "x-amz-target" in headers:
        return str(headers["x-amz-target"]).rpartition(".")[2]
    body = base64.b64decode(call["body"]).decode() if call["body_encoded"] else str(call["body"] or "")
    named = parse_qs(body).get("Action")
    if named:
        return named[0]
    query = urlsplit(call["url"]).query.split("&")[0].removesuffix("=")
    return OF_BUCKETS.get((call["method"], query), "")


def recorded_calls(text: str) -> Iterator[dict[str, Any]]:
    """Every document of the recording; calls at the same time may share a line."""
    decoder, at = json.JSONDecoder(), 0
    while (at := at + len(text[at:]) - len(text[at:].lstrip())) < len(text):
        found, at = decoder.raw_decode(text, at)
        yield found


def changes(names: Counter[str]) -> Counter[str]:
    return Counter({name: count for name, count in names.items() if name and not name.startswith(READS)})


@pytest.mark.slow
@pytest.mark.parametrize("template", by_day(1, ["bastion.yaml", "orders.yaml", "roles.yaml"]))
def test_every_call_that_changed_something_is_listed_once_with_its_request(live: Live, template: str) -> None:
    recorder(live, "reset-recording")
    recorder(live, "start-recording")
    live.tenuto("run", str(OWN / template), "-a", "told", "--wait=60", check=True)
    fid = live.status("told")["fid"]
    live.tenuto("kill", "told", "--wait=60", check=True)
    recorder(live, "stop-recording")
    text = recorder(live, "download-recording", "GET").decode()
    recorded = changes(Counter(operation(call) for call in recorded_calls(text)))
    ops = live.tenuto("--json", "ops", fid, check=True).document["ops"]
    assert changes(Counter(one["operation"] for one in ops)) == recorded
    assert recorded, "the recorder saw something"
    for one in ops:
        assert one["request_id"], one
        assert one["duration_s"] >= 0, one
        assert one["resources"], one
        assert one["code"] is None, one
    table = live.tenuto("ops", fid, check=True).out
    assert all(name in table for name in recorded)
