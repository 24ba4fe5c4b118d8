"""A route declares one request of the API: its path, its fields, and the right that it takes."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from tenuto.api.answers.words import Record
from tenuto.api.requests.calls import Call
from tenuto.model.access import Right
from tenuto.model.ids import JsonMap


class Open(Enum):
    """The callers of a request that no grant is about."""

    TO_ROOT = "root"
    """Only the owner of the Conductor may make them."""
    TO_USERS = "users"
    """Every user with a valid secret may make them."""
    TO_ALL = "all"
    """All callers may make them, without a secret: they are the way to get one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """One value of a query string or a body. `kind` is a JSON schema type."""

    name: str
    summary: str
    kind: str = "string"
    is_required: bool = False


COMPOSITION = Parameter(
    name="composition", summary="a compiled composition, as `tenuto compile` prints it", kind="object", is_required=True
)
ACCOUNT = Parameter(name="account", summary="the target account; `default` is the Conductor's own")
REASON = Parameter(
    name="reason", summary="why the owner of the Conductor does without an approval that a rule of the policy asks for"
)
DRY_RUN = Parameter(name="dry_run", summary="answer with the plan and change nothing", kind="boolean")


@dataclass(frozen=True, slots=True, kw_only=True)
class SentFile:
    """An answer that is the content of a file, as a whole or in ranges."""

    path: Path
    headers: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiRoute:
    """One request. `operation` is the name of the service function behind it."""

    method: str
    path: str
    operation: str
    summary: str
    handler: Callable[[Call], JsonMap | SentFile]
    answer: Record | None = None
    """The shape of the document that answers it; None for a file."""
    query: tuple[Parameter, ...] = ()
    body: tuple[Parameter, ...] = ()
    status: int = 200
    takes_bytes: bool = False
    """True for a request whose body is bytes (`application/octet-stream`) and no JSON."""
    sends_file: bool = False
    makes_plan: bool = False
    """True for a question for whose answer a plan is made. Dry runs need not say it."""
    right: Right | Open = Open.TO_ROOT
    """The right it takes. A route that says none lets in the owner only, which is noticed."""

    @property
    def needs(self) -> str:
        """The right it takes, as a sentence."""
        match self.right:
            case Open.TO_USERS:
                return "Open to every user."
            case Open.TO_ALL:
                return "Open to everybody."
            case Open.TO_ROOT:
                return "For the owner only."
            case Right():
                return f"Takes `{self.right.value}`."

    def check_fields(self, call: Call) -> None:
        """Raise UserError for a value in the query or the body that the route does not declare."""
        call.query.check([one.name for one in self.query])
        call.body.check([one.name for one in self.body])

    @property
    def has_dry_run(self) -> bool:
        return DRY_RUN in self.body
