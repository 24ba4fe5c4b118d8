"""ACLs and groups of rules of WAF, of which moto keeps some members alone: each shows all that it was sent last."""

import json
from collections.abc import Callable
from typing import Any

from moto.wafv2.responses import WAFV2Response

_ABOUT = {"Id", "LockToken", "Name", "Scope", "Tags"}


def _kept(self: Any) -> dict[str, dict[str, Any]]:
    everything: dict[str, dict[str, Any]] = vars(self.wafv2_backend).setdefault("tenuto_kept", {})
    return everything


def _keeping(call: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Wrap a create or update call so that all its parameters are stored."""

    def act(self: Any) -> Any:
        answer = call(self)
        sent = json.loads(self.body)
        one = sent.get("Id") or json.loads(answer[2])["Summary"]["Id"]
        _kept(self)[one] = {name: value for name, value in sent.items() if name not in _ABOUT}
        return answer

    return act


def _showing(call: Callable[[Any], Any], name: str) -> Callable[[Any], Any]:
    """The description, with all that was kept."""

    def act(self: Any) -> Any:
        status, headers, body = call(self)
        answer = json.loads(body)
        thing = answer[name]
        kept = _kept(self).get(thing["Id"])
        if kept is not None:
            own = {word: thing[word] for word in ("ARN", "Capacity", "Id", "LabelNamespace", "Name") if word in thing}
            answer[name] = {**own, **kept}
        return status, headers, json.dumps(answer)

    return act


def add() -> None:
    """Put the calls around moto's."""
    for word, name in (("web_acl", "WebACL"), ("rule_group", "RuleGroup")):
        for verb in ("create", "update"):
            setattr(WAFV2Response, f"{verb}_{word}", _keeping(getattr(WAFV2Response, f"{verb}_{word}")))
        setattr(WAFV2Response, f"get_{word}", _showing(getattr(WAFV2Response, f"get_{word}"), name))
