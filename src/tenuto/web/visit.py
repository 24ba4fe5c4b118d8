"""A visit: one request of a signed-in user as pages see it."""

from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field

from tenuto.errors import UserError
from tenuto.model.access import OF_CONDUCTOR, Right
from tenuto.model.ids import Fid
from tenuto.model.process import Process
from tenuto.service.access.caller_quotas import of_session
from tenuto.service.access.callers import Caller, Place
from tenuto.service.access.places import permitted_live_process, permitted_process, rights_at
from tenuto.service.access.sessions import SignedIn
from tenuto.service.commands.exports_in_use import as_told
from tenuto.service.commands.shown_plans import ShownPlans
from tenuto.service.services import Services

_LONGEST = 500
"""The length of a value in a query string or a form; a longer one is none of ours."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Visit:
    """One request. `path` are the parts of its path, `query` and `form` the values that came with it."""

    services: Services
    plans: ShownPlans
    signed: SignedIn
    address: str
    path: Mapping[str, str]
    query: Mapping[str, str]
    form: Mapping[str, str] = field(default_factory=dict)

    @property
    def caller(self) -> Caller:
        return self.signed.caller

    @property
    def reference(self) -> str:
        """The process in the path."""
        return self.path["process"]

    def planning(self) -> AbstractContextManager[None]:
        """Count a plan while it is made for a page. Raises TooManyError."""
        return self.services.quotas.planning(of_session(self.signed.session))

    def text(self, name: str) -> str:
        """A value of the query string; empty when there is none. Raises UserError for one that is too long."""
        return _bounded(name, self.query.get(name, ""))

    def given(self, name: str) -> str:
        """A value of the form; empty when there is none. Raises UserError for one that is too long."""
        return _bounded(name, self.form.get(name, ""))

    def texts(self, name: str) -> tuple[str, ...]:
        return tuple(part for part in self.text(name).split(",") if part)

    def number(self, name: str, default: int, most: int) -> int:
        text = self.text(name)
        if not text:
            return default
        if not text.isdecimal() or len(text) > 18:
            raise UserError(f"{name!r} must be a whole number from 0 on.")
        return min(int(text), most)

    def process(self, right: Right) -> Process:
        """The process in the path, live or gone, about which the user has this right."""
        return permitted_process(self.services.gatekeeper, self.caller, self.reference, right)

    def live_process(self, right: Right) -> Process:
        return permitted_live_process(self.services.gatekeeper, self.caller, self.reference, right)

    def rights(self, process: Process) -> frozenset[str]:
        """The words of the rights that the user has about a process."""
        return frozenset(right.value for right in rights_at(self.services.gatekeeper, self.caller, process))

    def told(self, error: Exception) -> str:
        """The words of an error, with the names of those processes alone that the user may see."""
        return str(as_told(error, self.services.gatekeeper, self.caller))

    def sees(self, right: Right) -> "Sees":
        return Sees(self, right)

    def check(self, right: Right) -> None:
        """Raise ForbiddenError unless the user has the right somewhere, or about the Conductor."""
        if right in OF_CONDUCTOR:
            self.services.gatekeeper.check(self.caller, right, Place())
        else:
            self.services.gatekeeper.check_somewhere(self.caller, right)


class Sees:
    """Whether the user may ask something about a process, by its FID; each is looked up once."""

    def __init__(self, visit: Visit, right: Right) -> None:
        self._is_seen = visit.services.gatekeeper.seen_by(visit.caller, right)
        self.account = visit.services.gatekeeper.sees_account(visit.caller, right)

    def __call__(self, fid: Fid | None) -> bool:
        return self._is_seen(fid)


def _bounded(name: str, text: str) -> str:
    if len(text) > _LONGEST:
        raise UserError(f"{name!r} is longer than {_LONGEST} characters.")
    return text
