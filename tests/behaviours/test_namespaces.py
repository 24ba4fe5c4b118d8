"""Namespaces of the local cloud: accounts that requests make, with keys for programs (behaviours 25 and 27)."""

import itertools
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import images
import pytest
from front import SECRET, Http, submission
from images import disk
from local_world import a, shop
from local_world import submission as submission_of
from structlog.testing import capture_logs
from town import Town, a_town

from tenuto.api.requests.route import ApiRoute, Open
from tenuto.api.routes.every import ROUTES
from tenuto.bootstrap.log import LogLevels
from tenuto.bootstrap.services import make_services
from tenuto.errors import CompileError, ConflictError
from tenuto.model.access import OF_CONDUCTOR
from tenuto.model.event import EventType
from tenuto.ports.store_changes import CreateObject, CreateProcess, StoreChange
from tenuto.ports.store_claims import live_objects
from tenuto.ports.store_reads import EventQuery
from tenuto.providers.local.objects import NAMESPACE
from tenuto.service.access.callers import Caller
from tenuto.service.accounts.tenants import closing as closing_of_namespace


@pytest.fixture
def town(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Iterator[Town]:
    with a_town(tmp_path, capsys) as made:
        yield made


def test_a_namespace_is_an_object_and_an_account_in_one_act(town: Town) -> None:
    town("-y", "namespace", "create", "red")
    account = town.world.store.account("red")
    assert account is not None
    assert (account.provider, account.account_id) == ("local", "red")
    listed = town("namespace", "list")
    assert "red" in listed
    assert "system" in listed
    assert "already" in town("-y", "namespace", "create", "red", code=5)
    process = town.world.run(*shop(), account="red")
    assert process.partition.account == "red"


def test_the_account_of_a_namespace_ends_with_it_and_not_by_itself(town: Town) -> None:
    town("-y", "namespace", "create", "red")
    assert "tenuto namespace delete red" in town("-y", "account", "remove", "red", code=5)
    assert town.world.store.account("red") is not None


def test_a_namespace_with_a_live_process_is_not_deleted_and_says_which(town: Town) -> None:
    town("-y", "namespace", "create", "red")
    town.world.run(a("Net", "Network", CidrBlock="10.1.0.0/24"), account="red")
    assert "process shop" in town("-y", "namespace", "delete", "red", code=5)
    assert town.world.store.account("red") is not None
    town.world.system.commands.kill("shop")
    assert town.world.settle()
    town("-y", "namespace", "delete", "red")
    assert town.world.store.account("red") is None
    town("-y", "namespace", "create", "red")


MEANWHILE: dict[str, tuple[str, dict[str, object]]] = {
    "upload": ("/v1/namespaces/red/uploads", {"name": "base", "size": 4096}),
    "fetch": ("/v1/namespaces/red/artifacts", {"name": "base", "url": "http://images.test/base"}),
    "label": ("/v1/namespaces/red/labels", {"name": "base", "source": "{blob}"}),
    "process": ("/v1/processes", {"account": "red", "composition": submission_of(shop()).document}),
}


@pytest.mark.parametrize("how", MEANWHILE)
@pytest.mark.parametrize("is_made_again", [False, True])
def test_nothing_is_made_in_a_namespace_that_is_deleted_in_the_same_moment(
    town: Town, how: str, is_made_again: bool
) -> None:
    store = town.world.store
    town("-y", "namespace", "create", "red")
    images.uploaded(town.root, "common", disk("common"), account="system")
    [blob] = images.of_type(town, "Blob")
    path, body = MEANWHILE[how]
    body = {name: blob["id"] if value == "{blob}" else value for name, value in body.items()}
    commit, other = store.commit, Http(town.url)

    def delete_first(changes: Sequence[StoreChange]) -> None:
        if any(isinstance(one, CreateObject | CreateProcess) for one in changes):
            store.commit = commit  # type: ignore[method-assign]
            assert other("DELETE", "/v1/objects/red?type=Namespace").status == 200
            if is_made_again:
                town.world.clock.advance(1)
                made = {"type": "Namespace", "name": "red"}
                assert other("POST", "/v1/objects", made).status == 201
        commit(changes)

    store.commit = delete_first  # type: ignore[method-assign]
    answer = town.root("POST", path, body)
    if is_made_again and how == "process":
        assert answer.status == 201  # It is tried again, and finds the namespace of now.
        return
    assert answer.status in (404, 409), answer
    live = town.root("GET", "/v1/objects?live=true&account=red").document["objects"]
    assert [one["type"] for one in live] == ["Tenuto::Namespace"] * is_made_again
    assert not store.processes(live=True)


def test_a_namespace_is_not_deleted_when_something_was_made_in_it_in_the_same_moment(town: Town) -> None:
    town("-y", "namespace", "create", "red")
    store = town.world.store
    services = make_services(town.world.system, clock=town.world.clock, secret=SECRET, levels=LogLevels("ERROR"))
    [red] = [one for one in live_objects(store, NAMESPACE) if one.logical_id == "red"]
    closing = closing_of_namespace(store, red, services.objects.types(), actor="root", at=town.world.clock.now())
    services.uploads.begin("red", "base", 4096)
    with pytest.raises(ConflictError, match="live objects: Tenuto::Upload"):
        store.commit(closing)


def test_the_namespace_system_is_always_there(town: Town) -> None:
    assert "always there" in town("-y", "namespace", "delete", "system", code=5)


def test_a_key_may_do_what_it_was_made_for_in_its_namespace_and_nothing_else(town: Town) -> None:
    for name in ("red", "blue"):
        town("-y", "namespace", "create", name)
        town.world.run(a("Net", "Network", CidrBlock="10.1.0.0/24"), alias=f"{name}-shop", account=name)
    ci = town.key("red", "ci", "suspend,questions")
    assert ci("GET", "/v1/me").document["name"] == "red/ci"
    assert [one["alias"] for one in ci("GET", "/v1/processes").document["processes"]] == ["red-shop"]
    assert ci("POST", "/v1/processes/red-shop/suspend").status == 200
    assert ci("POST", "/v1/processes/red-shop/kill").status == 403
    assert ci("POST", "/v1/processes/blue-shop/suspend").status == 404
    assert ci("GET", "/v1/processes/blue-shop").status == 404
    assert ci("GET", "/v1/policy").status == 403
    assert ci("POST", "/v1/namespaces/red/keys", {"name": "more", "commands": ["all"]}).status == 403


OF_THE_CONDUCTOR = {Open.TO_ALL, Open.TO_USERS, Open.TO_ROOT, *OF_CONDUCTOR}
LISTS = {
    "processes",
    "events",
    "doctor",
    "unknown_things",
    "objects",
    "declared_objects",
    "resume_cause",
    "object_types",
    "names",
    "summary",
    "rates",
    "sweeps",
    "proposals",
    "find",
    "request",
}
"""Requests that answer with what the caller may see."""
IN_BODY = {
    "run",
    "existing",
    "check_validations",
    "lookups",
    "create_object",
    "delete_unknown",
    "stack",
    "retain_stack",
    "empty_stack",
    "delete_stack",
    "check_things",
}
"""Requests whose body names the account."""


@pytest.mark.parametrize("route", ROUTES, ids=lambda route: route.operation)
def test_behaviour_23_what_is_in_a_namespace_is_not_there_for_others(town: Town, route: ApiRoute) -> None:
    """Every route is one of the four kinds above, or is about a thing in its path: a new route must be one, too."""
    for name in ("red", "blue"):
        town("-y", "namespace", "create", name)
    process = town.world.run(a("Net", "Network", CidrBlock="10.1.0.0/24"), account="blue")
    [plan] = [job.plan_id for job in town.world.store.history(process.fid).jobs if job.plan_id][:1]
    namespace = town.root("GET", "/v1/objects?name=blue").document["objects"][0]["id"]
    stranger = town.key("red", "ci", "all")
    proposal = town.root("POST", f"/v1/processes/{process.fid}/proposals", {"command": "kill"}).document["number"]
    ids = {"process": process.fid, "object": namespace, "plan": str(plan), "account": "blue", "key": "lock"}
    ids["number"] = str(proposal)
    body = {"account": "blue", "alias": "new", "composition": {}, "type": "Artifact", "process": "none", "value": "on"}
    missing = dict.fromkeys(ids, "missing") | {"key": "lock", "number": "99"}

    def ask(these: dict[str, str], account: str) -> tuple[int, str]:
        path = route.path
        more = {"user": "ann", "namespace": account, "name": "x", "upload": "u1"}
        for name, value in {**these, **more}.items():
            path = path.replace(f"{{{name}}}", value)
        path += f"?q={process.alias}" if route.operation == "find" else ""
        given = None if route.method == "GET" else {**body, "account": account}
        answer = stranger(route.method, path, given)
        return answer.status, repr(answer.document)

    if route.operation == "execute":
        # No plan file here is one: it is refused before anybody asks whose it is, with the same words for everything.
        told, other = ask(ids, "blue"), ask(missing, "blue")
        assert (told[0], process.fid in told[1]) == (other[0], False)
    elif route.operation == "account":
        assert ask(ids, "blue")[0] == ask(missing, "blue")[0] == 404
    elif route.right in OF_THE_CONDUCTOR:
        # A session is a browser's.
        assert ask(ids, "blue")[0] in (200, 400, 403, 404)
        assert process.fid not in ask(ids, "blue")[1]
    elif route.operation in LISTS:
        assert process.fid not in ask(ids, "blue")[1]
    elif route.operation in IN_BODY or route.operation == "apply" or "{namespace}" in route.path:
        assert ask(ids, "blue")[0] == ask(missing, "missing")[0] == 404
    else:
        assert {"process", "object", "plan", "number"} & set(re.findall(r"{(\w+)}", route.path)), (
            "a kind of route of its own"
        )
        assert ask(ids, "blue")[0] == ask(missing, "blue")[0] == 404


class Former:
    """The remains of the first namespace blue: a process with its plan, an image, a deleted operation with a secret
    word.

    The second namespace is made a while later, and has the same name.
    """

    SECRET = "topsecretword"

    def __init__(self, town: Town, later_s: float) -> None:
        self.town = town
        town("-y", "namespace", "create", "blue")
        old = town.key("blue", "old", "all")
        net, nic, web = shop()
        town.world.run(net, nic, web, alias="blue-shop", account="blue")
        images.uploaded(old, "base", disk("base"), account="blue")
        live = old("GET", "/v1/objects").document["objects"]
        [self.artifact] = [one["id"] for one in live if one["name"] == "base"]
        fields = {"Instance": str(town.world.the("Web", "blue-shop").object_id), "Commands": [{"Exec": [self.SECRET]}]}
        asked = {"type": "AgentOperation", "account": "blue", "region": "us-east-1", "fields": fields}
        self.operation = old("POST", "/v1/objects", asked).document["id"]
        town.world.advance(60)
        self.upload = images.begun(old, "half", disk("half"), account="blue")["id"]
        process = town.world.store.process("blue-shop")
        assert process is not None
        self.fid = process.fid
        self.things = [str(one.object_id) for one in town.world.objects("blue-shop")]
        self.plan = next(job.plan_id for job in town.world.store.history(self.fid).jobs if job.plan_id)
        self.request = old("POST", "/v1/processes/blue-shop/kill", {}).headers["x-request-id"]
        town.world.advance(120)
        for one in (self.artifact, self.operation, self.upload):
            assert old("DELETE", f"/v1/objects/{one}").status == 200
        town.world.advance(60)
        town("-y", "namespace", "delete", "blue")
        town.world.advance(later_s)
        town("-y", "namespace", "create", "blue")
        town.world.advance(10)

    @property
    def marks(self) -> list[str]:
        return [self.SECRET, self.fid, self.artifact, self.operation, self.upload, str(self.plan), *self.things]

    def paths(self) -> Iterator[str]:
        """Every question, about what the first namespace left, and about everything."""
        ids = {"process": self.fid, "plan": str(self.plan), "namespace": "blue", "request": self.request}
        ids |= {"upload": self.upload, "resource": "Web", "account": "blue", "key": "lock", "name": "blue-shop"}
        for route in ROUTES:
            if route.method != "GET":
                continue
            for more in ({"object": self.artifact}, {"object": self.operation, "process": "blue-shop"}):
                path = route.path
                for name, value in {**ids, **more}.items():
                    path = path.replace(f"{{{name}}}", value)
                yield path
            if "{" not in route.path:
                yield from (f"{route.path}?{query}" for query in QUERIES)


QUERIES = ("all=true", "live=false", "account=blue", "process=blue-shop", "q=blue-shop", "name=base", "limit=1000")


@pytest.mark.parametrize(("later_s", "commands"), [(60.0, "questions"), (2 * 3600.0, "all")])
def test_behaviour_23_the_next_namespace_of_a_name_sees_nothing_of_the_first(
    town: Town, later_s: float, commands: str
) -> None:
    former = Former(town, later_s)
    assert town.root("GET", f"/v1/processes/{former.fid}/history").status == 200
    key = town.key("blue", "new", commands)
    for path in former.paths():
        town.world.clock.advance(1)  # There is a limit to the questions of a key within a second.
        answer = key("GET", path)
        told = repr(answer.document)
        for echoed in (path, *path.split("/"), *path.split("=")):
            told = told.replace(echoed, "") if len(echoed) > 3 else told
        assert answer.status < 500, answer
        assert [one for one in former.marks if one in told] == [], (path, answer)
    town.world.run(*shop(), alias="blue-shop", account="blue")
    own = key("GET", "/v1/processes/blue-shop/history")
    assert (own.status, own.document["fid"] != former.fid) == (200, True)
    town.world.system.commands.kill("blue-shop")
    town.world.advance(120)
    assert key("GET", f"/v1/processes/{own.document['fid']}/history").status == 200


def test_behaviour_23_a_grant_for_all_accounts_is_about_former_namespaces_too(town: Town) -> None:
    former = Former(town, 60.0)
    services = make_services(town.world.system, clock=town.world.clock, secret=SECRET, levels=LogLevels("ERROR"))
    policy = """
TenutoPolicy: 1
Users: [ann, bob]
Grants:
  - {To: ann, Commands: questions, Accounts: "*"}
  - {To: bob, Commands: questions, Accounts: blue}
"""
    services.administration.set_policy(policy, file="p.yaml", actor="root")
    for user, status in (("ann", 200), ("bob", 404)):
        http = Http(town.url, town("-y", "user", "generate-secret", user).split()[-1])
        asked = (f"processes/{former.fid}/history", f"objects/{former.operation}", f"plans/{former.plan}")
        assert [http("GET", f"/v1/{one}").status for one in asked] == [status] * 3, user


def test_behaviour_23_an_alias_of_others_is_in_use_and_nothing_is_told_of_its_process(town: Town) -> None:
    for name in ("red", "blue"):
        town("-y", "namespace", "create", name)
        town.world.run(a("Net", "Network", CidrBlock="10.1.0.0/24"), alias=f"{name}-shop", account=name)
    fid, ci = town.world.store.process("blue-shop").fid, town.key("red", "ci", "all")
    told = [
        ci("POST", "/v1/processes", {"composition": {}, "account": "red", "alias": "blue-shop"}),
        ci("PUT", "/v1/processes/red-shop/properties/alias", {"value": "blue-shop"}),
    ]
    assert [(one.status, one.document["detail"]) for one in told] == [
        (409, "The alias blue-shop is in use. Choose another one. Nothing was changed.")
    ] * 2
    # A FID is no alias: that one of others exists is told by nothing.
    known, unknown = (ci("PUT", "/v1/processes/red-shop/properties/alias", {"value": one}) for one in (fid, fid[::-1]))
    assert known.status == unknown.status == 400
    own = ci("PUT", "/v1/processes/red-shop/properties/alias", {"value": "red-shop"})
    assert "in use" not in repr(own.document)


OTHER = """
Resources:
  Net: {Type: Tenuto::Compute::Network, Properties: {CidrBlock: 10.2.0.0/24}}
"""


@pytest.mark.parametrize("commands", ["all", "run", "update", "plan", "questions"])
def test_behaviour_23_an_apply_to_what_is_of_others_is_answered_as_a_run(town: Town, commands: str) -> None:
    """A free alias and one of others differ only for a caller who may run there, and there as in a run."""
    for name in ("red", "blue"):
        town("-y", "namespace", "create", name)
    for alias in ("blue-shop", "blue-gone"):
        town.world.run(a("Net", "Network", CidrBlock="10.1.0.0/24"), alias=alias, account="blue")
    town.world.system.commands.kill("blue-gone")
    assert town.world.settle()
    before = town.world.store.process("blue-shop")
    fid, none = before.fid, before.fid[:-1] + ("1" if before.fid.endswith("0") else "0")
    ci = town.key("red", "ci", commands)
    body = {"composition": submission(OTHER, region="zone-1").document}

    def ask(method: str, path: str, **more: object) -> tuple[int, str]:
        answer = ci(method, path, {**body, **more})
        return answer.status, str(answer.document.get("detail", "")).replace(path.rpartition("/")[2], "ALIAS")

    for account, dry_run in itertools.product([None, "red", "blue", "default", "missing"], [False, True]):
        case, given = (commands, account, dry_run), {"dry_run": dry_run} | ({"account": account} if account else {})
        taken, known, unknown, free = (
            ask("PUT", f"/v1/processes/{alias}", **given)
            for alias in ("blue-shop", fid, none, f"free-{account}-{dry_run}")
        )
        status, _ = ask("POST", "/v1/processes", alias="blue-shop", **given)
        assert known == unknown, case
        if free[0] < 300:
            assert taken == (409, "The alias ALIAS is in use. Choose another one. Nothing was changed."), case
            assert status == 409, case
        else:
            assert taken == free, case
            assert status == free[0], case
    assert town.world.store.process("blue-shop").composition_digest == before.composition_digest


def test_behaviour_23_an_unknown_thing_with_the_marks_of_others_is_not_there_and_names_no_account(town: Town) -> None:
    for name in ("red", "blue"):
        town("-y", "namespace", "create", name)
    fid = town.world.run(a("Net", "Network", CidrBlock="10.1.0.0/24"), account="blue").fid
    ci = town.key("red", "ci", "all")
    for body in ({}, {"account": "red"}):
        known, unknown = (
            ci("POST", "/v1/doctor/things/delete", {"process": one, "id": "x", "object": "o", **body})
            for one in (fid, fid[::-1])
        )
        assert known.status == unknown.status
        assert known.document["detail"] == unknown.document["detail"].replace(fid[::-1], fid)


def test_behaviour_23_a_value_of_others_is_in_use_and_no_id_is_told(town: Town) -> None:
    for name in ("red", "blue"):
        town("-y", "namespace", "create", name)
    net = a("Net", "Network", CidrBlock="10.1.0.0/24")
    nic = a("Nic", "NetworkInterface", "Net", Network={"Ref": "Net"}, MacAddress="02:00:00:00:00:07")
    town.world.run(net, nic, alias="blue-shop", account="blue")
    refused = town.world.run(net, nic, alias="red-shop", account="red")
    assert "02:00:00:00:00:07 belongs to an interface of another namespace" in refused.last_message
    assert str(town.world.the("Nic", "blue-shop").object_id) not in refused.last_message


@pytest.mark.parametrize("is_deleted", [False, True])
def test_the_proposal_of_a_key_is_executed_while_the_key_may_give_the_command(town: Town, is_deleted: bool) -> None:
    """The proposal kept the name of the key, and no grant of a policy is for that name."""
    town("-y", "namespace", "create", "red")
    town.world.run(a("Net", "Network", CidrBlock="10.1.0.0/24"), account="red")
    town.key("red", "ci", "all")("POST", "/v1/processes/shop/proposals", {"command": "kill"})
    if is_deleted:
        town("-y", "namespace", "key", "delete", "red", "ci")
    digest = town.root("GET", "/v1/proposals/1").document["digest"]
    approved = town.root("POST", "/v1/proposals/1/approve", {"digest": digest}).document
    if is_deleted:
        told = "red/ci may not give the command 'kill' there any more: the key is gone, or was made for less"
        assert (approved["state"], approved["reason"]) == ("Stale", told)
    else:
        assert (approved["state"], approved["reason"]) == ("Executed", "approved by root")


def test_an_approval_by_a_key_counts_while_the_key_is_there(town: Town) -> None:
    town("-y", "namespace", "create", "red")
    town.world.run(a("Net", "Network", CidrBlock="10.1.0.0/24"), account="red")
    ci = town.key("red", "ci", "all")
    digest = town.root("POST", "/v1/processes/shop/proposals", {"command": "kill"}).document["digest"]
    assert ci("POST", "/v1/proposals/1/approve", {"digest": digest}).document["state"] == "Executed"


def test_a_key_signs_no_browser_in_and_is_told_so_at_once(town: Town) -> None:
    town("-y", "namespace", "create", "red")
    ci = town.key("red", "ci", "all")
    refused = ci("POST", "/v1/web/code")
    assert (refused.status, "red/ci is a key of a namespace" in refused.document["detail"]) == (403, True), refused
    ended = town.shell("web", "--no-browser", environ=town.shell.environ(TENUTO_SECRET=str(ci.secret)))
    assert (ended.code, ended.out) == (6, "")
    assert "the dashboard is for users" in ended.err


def test_behaviour_25_a_deleted_key_is_401_at_once(town: Town) -> None:
    town("-y", "namespace", "create", "red")
    ci = town.key("red", "ci", "questions")
    assert ci("GET", "/v1/me").status == 200
    town("-y", "namespace", "key", "delete", "red", "ci")
    assert ci("GET", "/v1/me").status == 401
    assert "ci" not in town("namespace", "key", "list", "red").split()


def test_behaviour_25_an_expired_key_is_401_at_once(town: Town) -> None:
    town("-y", "namespace", "create", "red")
    ci = town.key("red", "ci", "questions", "--expires", "90d")
    town.world.clock.advance(90 * 86400 - 1)
    assert ci("GET", "/v1/me").status == 200
    town.world.clock.advance(1)
    assert ci("GET", "/v1/me").status == 401
    assert "expired" in town("namespace", "key", "list", "red")


def test_behaviour_25_the_keys_of_a_deleted_namespace_are_401_also_when_its_name_comes_back(town: Town) -> None:
    town("-y", "namespace", "create", "red")
    ci = town.key("red", "ci", "questions")
    town("-y", "namespace", "delete", "red")
    assert ci("GET", "/v1/me").status == 401
    town("-y", "namespace", "create", "red")
    assert ci("GET", "/v1/me").status == 401


def test_behaviour_24_the_trust_in_a_namespace_ends_with_it_also_when_its_name_comes_back(town: Town) -> None:
    for name in ("red", "blue", "green"):
        town("-y", "namespace", "create", name)
    artifact = images.uploaded(town.root, "base", disk("base"))["artifact"]["id"]
    town("-y", "namespace", "trust", "red", "blue")
    town("-y", "namespace", "trust", "red", "green")
    town("-y", "namespace", "delete", "blue")
    assert town("namespace", "trust", "red").splitlines()[-1:] == ["red trusts green and system."]
    town("-y", "namespace", "create", "blue")
    assert town.key("blue", "new", "all")("GET", f"/v1/objects/{artifact}").status == 404
    assert town.key("green", "ci", "all")("GET", f"/v1/objects/{artifact}").status == 200
    told = town.world.store.events(EventQuery(types=(EventType.ACCESS_CHANGED,), limit=100))
    assert [one.subject for one in told if one.reason == "trusts no more blue, which was deleted"] == ["red"]


def test_behaviour_24_a_trust_that_is_given_in_the_moment_of_the_deletion_refuses_it(town: Town) -> None:
    for name in ("red", "blue"):
        town("-y", "namespace", "create", name)
    store = town.world.store
    services = make_services(town.world.system, clock=town.world.clock, secret=SECRET, levels=LogLevels("ERROR"))
    [blue] = [one for one in live_objects(store, NAMESPACE) if one.logical_id == "blue"]
    closing = closing_of_namespace(store, blue, services.objects.types(), actor="root", at=town.world.clock.now())
    services.namespaces.set_trust("red", "blue", is_trusted=True)
    with pytest.raises(ConflictError):
        store.commit(closing)
    assert services.namespaces.trusted("red") == ("blue",)


def test_a_new_policy_leaves_keys_alone(town: Town) -> None:
    town("-y", "namespace", "create", "red")
    ci = town.key("red", "ci", "questions")
    administration = make_services(
        town.world.system, clock=town.world.clock, secret=SECRET, levels=LogLevels("ERROR")
    ).administration
    assert administration.set_policy("TenutoPolicy: 1\nUsers: [ann]\n", file="p.yaml", actor="root")[1] == ()
    assert administration.remove_policy(actor="root") == ()
    assert ci("GET", "/v1/me").status == 200


def test_behaviour_27_no_user_can_be_called_like_a_key(town: Town) -> None:
    services = make_services(town.world.system, clock=town.world.clock, secret=SECRET, levels=LogLevels("ERROR"))
    with pytest.raises(CompileError):
        services.administration.set_policy("TenutoPolicy: 1\nUsers: [red/ci]\n", file="p.yaml", actor="root")
    assert Caller(name="red/ci").is_root is False


@pytest.mark.parametrize(
    ("name", "commands", "told"),
    [
        ("ci", "policy", "Conductor as a whole"),
        ("ci", "kil", "kill"),
        ("a/b", "questions", "cannot name a key"),
    ],
)
def test_what_cannot_be_a_key_is_refused(town: Town, name: str, commands: str, told: str) -> None:
    town("-y", "namespace", "create", "red")
    assert told in town("-y", "namespace", "key", "add", "red", name, "--commands", commands, code=2)


def test_a_second_key_of_a_name_is_refused_and_a_missing_one_is_not_found(town: Town) -> None:
    town("-y", "namespace", "create", "red")
    town.key("red", "ci", "questions")
    assert "already" in town("-y", "namespace", "key", "add", "red", "ci", "--commands", "all", code=5)
    assert "There are: ci" in town("-y", "namespace", "key", "delete", "red", "cd", code=4)
    assert "no namespace" in town("namespace", "key", "list", "green", code=4)


def test_behaviour_26_no_event_holds_the_secret_of_a_key(town: Town) -> None:
    town("-y", "namespace", "create", "red")
    secret = town("-y", "namespace", "key", "add", "red", "ci", "--commands", "questions")
    told = repr(town.world.store.events(EventQuery(limit=1000)))
    assert secret not in told
    assert secret.split(".")[2] not in told
    changed = town.world.store.events(EventQuery(types=(EventType.ACCESS_CHANGED,), limit=10))
    assert [one.subject for one in changed] == ["red/ci"]


def test_behaviour_26_no_log_and_no_refusal_holds_the_secret_of_a_key(town: Town) -> None:
    with capture_logs() as log:
        town("-y", "namespace", "create", "red")
        ci = town.key("red", "ci", "questions")
        asked = (
            ("GET", "/v1/me"),
            ("GET", "/v1/processes/none"),
            ("POST", "/v1/processes"),
            ("GET", "/v1/none"),
        )
        answers = [ci(*one) for one in asked]
        town("-y", "namespace", "key", "delete", "red", "ci")
        answers += [ci(*one) for one in asked]
    assert [one.status for one in answers] == [200, 404, 403, 404, 401, 401, 401, 401]
    assert ci.secret is not None
    hidden = ci.secret.split(".")[2]
    assert hidden not in repr(log)
    assert [one for one in answers if hidden in repr(one.document)] == []
