"""Every request that the API answers, as one table: the application and its documents are made from it."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from tenuto.api import access_handlers, account_handlers, handlers, notification_handlers, validation_handlers
from tenuto.api.calls import Call
from tenuto.model.access import Right
from tenuto.model.ids import JsonMap


class Open(Enum):
    """Requests that no grant is about."""

    TO_ROOT = "root"
    """Only the owner of the Conductor may make them."""
    TO_USERS = "users"
    """Whoever has a valid secret may make them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """One value of a query string or a body. `kind` is a JSON schema type."""

    name: str
    summary: str
    kind: str = "string"
    is_required: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiRoute:
    """One request. `operation` is the name of the service function behind it."""

    method: str
    path: str
    operation: str
    summary: str
    handler: Callable[[Call], JsonMap]
    query: tuple[Parameter, ...] = ()
    body: tuple[Parameter, ...] = ()
    status: int = 200
    right: Right | Open = Open.TO_ROOT
    """What it takes. Whoever forgets to say it locks everybody else out, which is noticed."""

    @property
    def needs(self) -> str:
        """What it takes, as a sentence."""
        match self.right:
            case Open.TO_USERS:
                return "Open to every user."
            case Open.TO_ROOT:
                return "For the owner only."
            case Right():
                return f"Takes `{self.right.value}`."

    @property
    def has_dry_run(self) -> bool:
        return _DRY_RUN in self.body


_COMPOSITION = Parameter(
    name="composition", summary="a compiled composition, as `tenuto compile` prints it", kind="object", is_required=True
)
_SECRETS = Parameter(name="secrets", summary="the values of its NoEcho parameters, by name", kind="object")
_ACCOUNT = Parameter(name="account", summary="the target account; `default` is the Conductor's own")
_IMPORT = Parameter(name="import", summary="adopt what the composition names by ResourceIdentifier", kind="boolean")
_DRY_RUN = Parameter(name="dry_run", summary="answer with the plan and change nothing", kind="boolean")
_PLAN_FILE = Parameter(
    name="plan_file", summary="with `dry_run`: add the plan file, which can be executed later", kind="boolean"
)
_START = Parameter(name="start", summary="not before this time: ISO 8601 or seconds since 1970")
_END = Parameter(name="end", summary="not after this time")
_LIMIT = Parameter(name="limit", summary="the newest so many; default 1000, at most 10000", kind="integer")
_RESOURCES = Parameter(name="resources", summary="only these logical ids; default all", kind="array")

_WAY = (
    Parameter(name="profile", summary="enter it by this profile of the Conductor's AWS configuration"),
    Parameter(name="role_arn", summary="enter it by assuming this role"),
    Parameter(name="external_id", summary="what the role's trust policy asks for; empty for none"),
    Parameter(name="source", summary="the account whose credentials assume the role; default `default`"),
    Parameter(name="region", summary="where compositions go that say no region"),
    Parameter(name="unchecked", summary="store it without looking; its first use looks", kind="boolean"),
)

_NOTIFICATIONS: tuple[ApiRoute, ...] = (
    ApiRoute(
        method="GET",
        path="/v1/notifications",
        operation="notifications",
        right=Right.NOTIFICATION,
        summary="Who is told of events, and how much has not arrived.",
        handler=notification_handlers.listed,
    ),
    ApiRoute(
        method="POST",
        path="/v1/notifications",
        operation="add_notification",
        right=Right.NOTIFICATION,
        summary="Tell a webhook or a topic of events from now on. The answer holds the secret that was made, once.",
        handler=notification_handlers.add,
        body=(
            Parameter(name="name", summary="a name for it", is_required=True),
            Parameter(name="url", summary="of a webhook"),
            Parameter(name="secret", summary="what its requests are signed with; default: one is made"),
            Parameter(name="topic", summary="the ARN of a topic"),
            _ACCOUNT,
            Parameter(
                name="types", summary="types of events; default `job.finished` and `resource.held`", kind="array"
            ),
            Parameter(name="processes", summary="only of these: patterns of aliases, or FIDs", kind="array"),
            Parameter(name="accounts", summary="only of processes in these accounts", kind="array"),
            Parameter(name="tries", summary="give up after so many; default 15, at most 50", kind="integer"),
        ),
        status=201,
    ),
    ApiRoute(
        method="DELETE",
        path="/v1/notifications/{name}",
        operation="remove_notification",
        right=Right.NOTIFICATION,
        summary="Tell it nothing any more, and throw away what has not arrived.",
        handler=notification_handlers.remove,
    ),
    ApiRoute(
        method="POST",
        path="/v1/notifications/{name}/test",
        operation="test_notification",
        right=Right.NOTIFICATION,
        summary="Send it a made-up event now, and tell whether it arrived.",
        handler=notification_handlers.test,
    ),
    ApiRoute(
        method="GET",
        path="/v1/notifications/{name}/dead",
        operation="dead_notifications",
        right=Right.NOTIFICATION,
        summary="The events that were given up, with the last error.",
        handler=notification_handlers.dead,
    ),
    ApiRoute(
        method="POST",
        path="/v1/notifications/{name}/redeliver",
        operation="redeliver_notifications",
        right=Right.NOTIFICATION,
        summary="Try again what was given up.",
        handler=notification_handlers.redeliver,
        body=(Parameter(name="events", summary="only these ids; default all", kind="array"),),
    ),
)

ROUTES: tuple[ApiRoute, ...] = (
    ApiRoute(
        method="GET",
        path="/v1/processes",
        operation="processes",
        right=Right.STATUS,
        summary="All live processes.",
        handler=handlers.processes,
        query=(Parameter(name="account", summary="only those of this account"),),
    ),
    ApiRoute(
        method="POST",
        path="/v1/processes",
        operation="run",
        right=Right.RUN,
        summary="Run a composition as a new process.",
        handler=handlers.run,
        body=(
            _COMPOSITION,
            _SECRETS,
            Parameter(name="alias", summary="a name, unique among live processes"),
            _ACCOUNT,
            _IMPORT,
            _DRY_RUN,
            _PLAN_FILE,
        ),
        status=201,
    ),
    ApiRoute(
        method="GET",
        path="/v1/processes/{process}",
        operation="process",
        right=Right.STATUS,
        summary="One process in detail.",
        handler=handlers.process,
        query=(
            Parameter(name="look", summary="ask the provider for drift that enforcement leaves alone", kind="boolean"),
        ),
    ),
    ApiRoute(
        method="PUT",
        path="/v1/processes/{process}",
        operation="apply",
        right=Right.RUN,
        summary="Run under this alias, or update the process that has it, or do nothing when it is the same.",
        handler=handlers.apply,
        body=(_COMPOSITION, _SECRETS, _ACCOUNT, _IMPORT, _DRY_RUN, _PLAN_FILE),
    ),
    ApiRoute(
        method="POST",
        path="/v1/processes/{process}/update",
        operation="update",
        right=Right.UPDATE,
        summary="Give the process another composition.",
        handler=handlers.update,
        body=(_COMPOSITION, _SECRETS, _DRY_RUN, _PLAN_FILE),
    ),
    ApiRoute(
        method="POST",
        path="/v1/processes/{process}/suspend",
        operation="suspend",
        right=Right.SUSPEND,
        summary="No more jobs; pauses a kill.",
        handler=handlers.suspend,
    ),
    ApiRoute(
        method="POST",
        path="/v1/processes/{process}/resume",
        operation="resume",
        right=Right.RESUME,
        summary="Jobs again; clears failed phases, approves a held plan, cancels a paused kill.",
        handler=handlers.resume,
        body=(_DRY_RUN, _PLAN_FILE),
    ),
    ApiRoute(
        method="POST",
        path="/v1/processes/{process}/kill",
        operation="kill",
        right=Right.KILL,
        summary="Delete its resources, and then the process.",
        handler=handlers.kill,
        body=(_DRY_RUN, _PLAN_FILE),
    ),
    ApiRoute(
        method="POST",
        path="/v1/processes/{process}/release",
        operation="release",
        right=Right.RELEASE,
        summary="Let go of its resources, which stay, and end the process.",
        handler=handlers.release,
        body=(
            Parameter(name="keep_tags", summary="leave our ownership tags on them", kind="boolean"),
            _DRY_RUN,
            _PLAN_FILE,
        ),
    ),
    ApiRoute(
        method="POST",
        path="/v1/processes/{process}/execute",
        operation="execute",
        right=Right.UPDATE,
        summary="Execute a plan file exactly, or refuse it because something moved.",
        handler=handlers.execute,
        body=(Parameter(name="plan", summary="the plan file", kind="object", is_required=True),),
    ),
    ApiRoute(
        method="POST",
        path="/v1/processes/{process}/retry",
        operation="retry",
        right=Right.RETRY,
        summary="Clear failed phases and try again.",
        handler=handlers.retry,
        body=(_RESOURCES,),
    ),
    ApiRoute(
        method="GET",
        path="/v1/processes/{process}/properties/{key}",
        operation="property",
        right=Right.STATUS,
        summary="The value of `alias`, `lock` or `enforcement`.",
        handler=handlers.get_property,
    ),
    ApiRoute(
        method="PUT",
        path="/v1/processes/{process}/properties/{key}",
        operation="set_property",
        right=Right.PROPERTY,
        summary="Set `alias`, `lock` or `enforcement`.",
        handler=handlers.set_property,
        body=(
            Parameter(name="value", summary="a name, or `on` or `off`", is_required=True),
            Parameter(name="until", summary="when `enforcement` `off` ends: `2h`, or a time with its zone"),
        ),
    ),
    ApiRoute(
        method="GET",
        path="/v1/processes/{process}/plan",
        operation="plan",
        right=Right.PLAN,
        summary="What the next job would do, and what it waits for.",
        handler=handlers.plan,
    ),
    ApiRoute(
        method="GET",
        path="/v1/processes/{process}/explain",
        operation="explain",
        right=Right.EXPLAIN,
        summary="Why each resource is as it is.",
        handler=handlers.explain,
        query=(_RESOURCES,),
    ),
    ApiRoute(
        method="GET",
        path="/v1/processes/{process}/history",
        operation="history",
        right=Right.HISTORY,
        summary="Commands and jobs; also of a process that is gone.",
        handler=handlers.history,
        query=(_START, _END, _LIMIT),
    ),
    ApiRoute(
        method="GET",
        path="/v1/processes/{process}/ops",
        operation="ops",
        right=Right.OPS,
        summary="Provider operations; also of a process that is gone.",
        handler=handlers.ops,
        query=(_START, _END, _LIMIT),
    ),
    ApiRoute(
        method="GET",
        path="/v1/plans/{plan}",
        operation="stored_plan",
        right=Right.PLAN,
        summary="A plan of the history.",
        handler=handlers.stored_plan,
    ),
    ApiRoute(
        method="GET",
        path="/v1/events",
        operation="events",
        right=Right.EVENTS,
        summary="Events in rising order; with `follow=true` a stream of server-sent events that goes on.",
        handler=handlers.events,
        query=(
            Parameter(name="process", summary="only of this process, also one that is gone"),
            Parameter(name="types", summary="only these types, separated by commas"),
            _START,
            _END,
            Parameter(name="after", summary="only with a higher number", kind="integer"),
            _LIMIT,
            Parameter(name="follow", summary="keep the connection and send what comes", kind="boolean"),
        ),
    ),
    ApiRoute(
        method="POST",
        path="/v1/templates",
        operation="existing",
        right=Right.IMPORT,
        summary="A template of resources that exist, to be run with `import`. Changes nothing.",
        handler=handlers.existing,
        body=(
            Parameter(name="resources", summary="each as `TYPE ID`", kind="array", is_required=True),
            Parameter(name="region", summary="their region", is_required=True),
            _ACCOUNT,
        ),
    ),
    ApiRoute(
        method="GET",
        path="/v1/accounts",
        operation="accounts",
        summary="The accounts that processes can live in.",
        handler=account_handlers.all_accounts,
        right=Right.ACCOUNT,
    ),
    ApiRoute(
        method="POST",
        path="/v1/accounts",
        operation="add_account",
        summary="Add an account. Its credentials are looked at first.",
        handler=account_handlers.add,
        right=Right.ACCOUNT,
        body=(Parameter(name="name", summary="what it is to be called", is_required=True), *_WAY),
        status=201,
    ),
    ApiRoute(
        method="GET",
        path="/v1/accounts/{account}",
        operation="account",
        summary="One account, by its name or its id.",
        handler=account_handlers.show,
        right=Right.ACCOUNT,
    ),
    ApiRoute(
        method="PUT",
        path="/v1/accounts/{account}",
        operation="update_account",
        summary="Another way into the same account, or another region; what is left out stays.",
        handler=account_handlers.update,
        right=Right.ACCOUNT,
        body=_WAY,
    ),
    ApiRoute(
        method="DELETE",
        path="/v1/accounts/{account}",
        operation="remove_account",
        summary="Forget an account in which no process lives.",
        handler=account_handlers.remove,
        right=Right.ACCOUNT,
    ),
    ApiRoute(
        method="POST",
        path="/v1/accounts/{account}/check",
        operation="check_account",
        summary="Ask the provider who the credentials of the account are.",
        handler=account_handlers.check,
        right=Right.ACCOUNT,
    ),
    ApiRoute(
        method="GET",
        path="/v1/phases",
        operation="phases",
        right=Open.TO_USERS,
        summary="The loaded phases and their activity.",
        handler=handlers.phases,
    ),
    ApiRoute(
        method="GET",
        path="/v1/types",
        operation="types",
        right=Open.TO_USERS,
        summary="The resource types that the Conductor manages.",
        handler=handlers.types,
    ),
    ApiRoute(
        method="GET",
        path="/v1/nodes",
        operation="nodes",
        right=Open.TO_USERS,
        summary="The Conductor nodes and their states.",
        handler=handlers.nodes,
    ),
    ApiRoute(
        method="GET",
        path="/v1/me",
        operation="whoami",
        right=Open.TO_USERS,
        summary="Who is asking, and what the policy grants them.",
        handler=access_handlers.whoami,
    ),
    ApiRoute(
        method="GET",
        path="/v1/policy",
        operation="policy",
        right=Right.POLICY,
        summary="The policy that holds, as it was set; `policy` is null when there is none.",
        handler=access_handlers.policy,
    ),
    ApiRoute(
        method="PUT",
        path="/v1/policy",
        operation="set_policy",
        right=Right.POLICY,
        summary="Set the policy. Users whom it does not name lose their secrets.",
        handler=access_handlers.set_policy,
        body=(
            Parameter(name="text", summary="the policy, YAML", is_required=True),
            Parameter(name="file", summary="the name of its file, for messages"),
        ),
    ),
    ApiRoute(
        method="DELETE",
        path="/v1/policy",
        operation="remove_policy",
        right=Right.POLICY,
        summary="Remove the policy: only `root` may act, and all users lose their secrets.",
        handler=access_handlers.remove_policy,
    ),
    ApiRoute(
        method="GET",
        path="/v1/validations",
        operation="validations",
        right=Open.TO_USERS,
        summary="The rules that every composition is held to.",
        handler=validation_handlers.validations,
    ),
    ApiRoute(
        method="POST",
        path="/v1/validations",
        operation="add_validation",
        right=Right.VALIDATION,
        summary="Add a rule. Refused (422, `validation`, with `diagnostics`) when a running process violates it.",
        handler=validation_handlers.add_validation,
        body=(
            Parameter(
                name="rule",
                summary="name, applies_to, expression, message; severity, description, hint",
                kind="object",
                is_required=True,
            ),
            Parameter(name="replace", summary="put it in the place of the one of its name", kind="boolean"),
        ),
        status=201,
    ),
    ApiRoute(
        method="POST",
        path="/v1/validations/check",
        operation="check_validations",
        right=Right.PLAN,
        summary="What the rules say of a composition: `diagnostics`, as `run` would be refused with, and warnings.",
        handler=validation_handlers.check_validations,
        body=(_COMPOSITION, _ACCOUNT),
    ),
    ApiRoute(
        method="GET",
        path="/v1/validations/{name}",
        operation="validation",
        right=Open.TO_USERS,
        summary="One rule.",
        handler=validation_handlers.validation,
    ),
    ApiRoute(
        method="DELETE",
        path="/v1/validations/{name}",
        operation="remove_validation",
        right=Right.VALIDATION,
        summary="Remove a rule: it holds no more.",
        handler=validation_handlers.remove_validation,
    ),
    ApiRoute(
        method="GET",
        path="/v1/users",
        operation="users",
        right=Right.USER,
        summary="The users of the policy, and whether they have a secret.",
        handler=access_handlers.users,
    ),
    ApiRoute(
        method="POST",
        path="/v1/users/{user}/secret",
        operation="generate_secret",
        right=Right.USER,
        summary="Make a secret for a user; the answer is the only place where it is told. Revokes an earlier one.",
        handler=access_handlers.generate_secret,
        status=201,
    ),
    ApiRoute(
        method="DELETE",
        path="/v1/users/{user}/secret",
        operation="revoke_secret",
        right=Right.USER,
        summary="Revoke the secret of a user, who cannot act until there is another one.",
        handler=access_handlers.revoke_secret,
    ),
    ApiRoute(
        method="GET",
        path="/v1/runtime",
        operation="runtime",
        right=Right.RUNTIME,
        summary="Settings that can be changed while the Conductor runs.",
        handler=access_handlers.runtime,
        query=(Parameter(name="key", summary="only keys that match this pattern; `*` is any text"),),
    ),
    ApiRoute(
        method="PUT",
        path="/v1/runtime/{key}",
        operation="set_runtime",
        right=Right.RUNTIME,
        summary="Change every setting that matches the pattern, at once and until it is unset.",
        handler=access_handlers.set_runtime,
        body=(Parameter(name="value", summary="the new value, as text", is_required=True),),
    ),
    ApiRoute(
        method="DELETE",
        path="/v1/runtime/{key}",
        operation="unset_runtime",
        right=Right.RUNTIME,
        summary="Give every setting that matches the pattern its default again.",
        handler=access_handlers.unset_runtime,
    ),
    *_NOTIFICATIONS,
)
