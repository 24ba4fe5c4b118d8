"""Puts a plan into the one comment that it has in a pull request: the earlier one is replaced, not repeated.

    python3 comment.py NUMBER FILE

Needs GITHUB_API_URL, GITHUB_REPOSITORY and GITHUB_TOKEN, as a workflow has them. Nothing but the standard library.
"""

import json
import os
import sys
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

PAGE = 100


def main(number: str, file: str) -> None:
    text = Path(file).read_text(encoding="utf-8")
    marker = text.splitlines()[0]
    comments = f"/repos/{os.environ['GITHUB_REPOSITORY']}/issues/{int(number)}/comments"
    old = next((one["id"] for one in listed(comments) if one["body"].startswith(marker)), None)
    if old is None:
        ask("POST", comments, {"body": text})
    else:
        ask("PATCH", f"/repos/{os.environ['GITHUB_REPOSITORY']}/issues/comments/{old}", {"body": text})


def listed(path: str) -> Any:
    page = 1
    while True:
        found = ask("GET", f"{path}?per_page={PAGE}&page={page}")
        yield from found
        if len(found) < PAGE:
            return
        page += 1


def ask(method: str, path: str, body: Any = None) -> Any:
    headers = {
        "Authorization": f"Bearer {os.environ['GITHUB_TOKEN']}",
        "Accept": "application/vnd.github+json",
        "Content-Type": "application/json",
    }
    content = None if body is None else json.dumps(body).encode()
    request = Request(f"{os.environ['GITHUB_API_URL']}{path}", data=content, headers=headers, method=method)
    with urlopen(request, timeout=30) as answer:
        return json.loads(answer.read() or b"null")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
