"""What was checked is what is used: nothing that changes hands after the check is followed (see api/authorization)."""

import pytest
from front import Front, submission

from tenuto.api.authorization import authorized
from tenuto.api.requests.calls import Call, Fields
from tenuto.api.routes.every import ROUTES
from tenuto.errors import ForbiddenError
from tenuto.service.access.callers import Caller

POLICY = "TenutoPolicy: 1\nUsers: [ann]\nGrants: [{To: ann, Commands: all, Accounts: [a, default]}]"
BY_NAME = {route.operation: route for route in ROUTES}


@pytest.fixture
def front() -> Front:
    front = Front()
    for name in ("a", "b"):
        front.commands.accounts.add(name, {"profile": name}, checks=False)
    front.services.administration.set_policy(POLICY, file="p.yaml", actor="root")
    front.services.administration.generate_secret("ann", actor="root")
    return front


def ann(front: Front) -> Caller:
    [secret] = front.store.user_secrets()
    return Caller(name="ann", key=secret.key)


def call(front: Front, caller: Caller, path: dict[str, str], **body: object) -> Call:
    return Call(
        services=front.services,
        caller=caller,
        path=path,
        query=Fields(values={}, where="query"),
        body=Fields(values=body, where="body"),
    )


def test_a_process_is_handed_on_by_its_fid(front: Front) -> None:
    process = front.commands.run(submission(), alias="web", account="a")
    for operation in ("kill", "apply", "set_property", "history"):
        path = {"process": "web", "key": "lock"}
        allowed = authorized(BY_NAME[operation], call(front, ann(front), path, value="on"))
        assert allowed.path["process"] == process.fid, operation


def test_an_account_that_was_left_out_is_filled_in(front: Front) -> None:
    for operation in ("run", "existing", "apply"):
        allowed = authorized(BY_NAME[operation], call(front, ann(front), {"process": "new"}))
        assert allowed.body.values["account"] == "default", operation


def test_an_alias_that_changed_hands_after_the_check_leads_nowhere(front: Front) -> None:
    """Between check and command the process of account a gives its alias up to one of account b."""
    mine = front.commands.run(submission(), alias="web", account="a")
    allowed = authorized(BY_NAME["suspend"], call(front, ann(front), {"process": "web"}))
    front.commands.set_property("web", "alias", "old")
    other = front.commands.run(submission(), alias="web", account="b")
    BY_NAME["suspend"].handler(allowed)
    states = {one.fid: one.state for one in front.store.processes()}
    assert (states[mine.fid], states[other.fid]) == ("Suspended", "Running")


def test_a_caller_whose_secret_was_replaced_after_it_was_recognised_is_known_no_more(front: Front) -> None:
    caller = ann(front)
    authorized(BY_NAME["types"], call(front, caller, {}))
    front.services.administration.generate_secret("ann", actor="root")
    with pytest.raises(ForbiddenError, match="not valid any more"):
        authorized(BY_NAME["types"], call(front, caller, {}))
