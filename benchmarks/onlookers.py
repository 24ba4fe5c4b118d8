"""Twenty browsers that only look, in a process of their own: `python -m benchmarks.onlookers PORT SECRET SECONDS`.

What they cost is then not counted as the server's. Each holds the stream of marks and fetches the part of its page that
a mark is about, as `live.js` does: at most every 0.4 s, with the tag of what it has.
"""

import http.client
import json
import sys
import threading
import time
from urllib.parse import urlencode

LEAST_S = 0.4
PAGES = (
    ("/?part=board", "*"),
    ("/processes?part=rows", "*"),
    ("/processes/shop-0001?part=rows", "shop-0001"),
    ("/processes/shop-0002/history?part=rows", "shop-0002"),
)
"""The parts that are looked at, in turns, and what a mark must be about."""
ONLOOKERS = 20


def main(port: int, secret: str, seconds: float) -> None:
    """Look, and print how many streams there were, how many answers came, of which status, and their bytes."""
    end = time.monotonic() + seconds
    found: list[tuple[int, int]] = []
    streams: list[str] = []
    each = [
        threading.Thread(
            target=_look, args=(port, secret, PAGES[number % len(PAGES)], end, found, streams), daemon=True
        )
        for number in range(ONLOOKERS)
    ]
    for one in each:
        one.start()
    for one in each:
        one.join(max(0.0, end - time.monotonic()))
    fetched = [size for status, size in list(found) if status == 200]
    same = sum(1 for status, _ in list(found) if status == 304)
    print(json.dumps({"streams": len(streams), "fetched": len(fetched), "same": same, "KB": sum(fetched) / 1000}))


def _look(
    port: int, secret: str, page: tuple[str, str], end: float, found: list[tuple[int, int]], streams: list[str]
) -> None:
    path, about = page
    headers = {"Cookie": _signed_in(port, secret)}
    stream = http.client.HTTPConnection("127.0.0.1", port)
    stream.request("GET", "/live", headers=headers)
    response = stream.getresponse()
    if response.status == 200:
        streams.append(path)
    connection = http.client.HTTPConnection("127.0.0.1", port)
    etag, last = "", 0.0
    fid = "*" if about == "*" else _fid(connection, about, headers)
    is_mark = False
    while time.monotonic() < end and (line := response.readline()):
        if line.startswith(b"event: "):
            is_mark = line.startswith(b"event: marks")
            continue
        if not is_mark or not line.startswith(b"data: "):
            continue
        if fid != "*" and fid not in json.loads(line[6:])["processes"]:
            continue
        time.sleep(max(0.0, last + LEAST_S - time.monotonic()))
        last = time.monotonic()
        connection.request("GET", path, headers=headers | ({"If-None-Match": etag} if etag else {}))
        answer = connection.getresponse()
        content = answer.read()
        etag = answer.getheader("ETag") or etag
        found.append((answer.status, len(content)))


def _signed_in(port: int, secret: str) -> str:
    connection = http.client.HTTPConnection("127.0.0.1", port)
    headers = {"Origin": f"http://127.0.0.1:{port}", "Content-Type": "application/x-www-form-urlencoded"}
    connection.request("POST", "/login", urlencode({"secret": secret}), headers)
    response = connection.getresponse()
    response.read()
    return (response.getheader("Set-Cookie") or "").partition(";")[0]


def _fid(connection: http.client.HTTPConnection, name: str, headers: dict[str, str]) -> str:
    """The id of a process, as the page has it in its mark."""
    connection.request("GET", f"/processes/{name}", headers=headers)
    return connection.getresponse().read().decode().partition('data-live="')[2].partition('"')[0]


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2], float(sys.argv[3]))
