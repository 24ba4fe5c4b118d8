"""The form that a call is sent as is encoded once.

Theory of operation. The SDK keeps the parameters of EC2 and of other services of its age as a mapping until a call is
sent, and encodes it twice: to sign the call, and to send it. So it is encoded here, in the same way, before the SDK
begins to sign; the handlers of the SDK that put more into the mapping run before this one (`register_last`).
"""

from typing import Any
from urllib.parse import urlencode

from botocore.session import Session

_BEFORE_CALL = "before-call"


def encode_once(session: Session) -> None:
    """Let the clients of a session encode each form once."""
    session.get_component("event_emitter").register_last(_BEFORE_CALL, _encode)


def _encode(params: dict[str, Any], **_: Any) -> None:
    if isinstance(params["body"], dict):
        params["body"] = urlencode(params["body"], doseq=True).encode()
