"""Names for things that must have one and were not given one, and tokens for calls that take them.

A generated name is a function of the request's token: after a crash the same request leads to the same name, so that
the made thing is found instead of made again (DECISIONS 19).
"""

import hashlib
import json
import re

from tenuto.model.outcome import Request


def generated_name(request: Request, limit: int) -> str:
    """`process-resource-hash`, letters, digits and hyphens, at most `limit` long."""
    digest = hashlib.sha256(request.token.encode()).hexdigest()[:12]
    head = re.sub(r"[^A-Za-z0-9]+", "-", f"{request.process_name}-{request.logical_id}").strip("-")
    head = head[: limit - len(digest) - 1].rstrip("-")
    return f"{head}-{digest}" if head else f"t-{digest}"


def client_token(request: Request) -> str:
    """A token for an API's own idempotency: at most 64 characters, the same for every attempt at the same thing.

    The properties are part of it: AWS refuses a token that it knows with other parameters.
    """
    properties = json.dumps(request.properties, sort_keys=True, default=str)
    return hashlib.sha256(f"{request.token}{properties}".encode()).hexdigest()
