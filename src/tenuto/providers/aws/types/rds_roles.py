"""The IAM roles that a database or a cluster of RDS takes on: `AssociatedRoles`.

Theory of operation. The description of a database lists its roles, so a sweep sees them without a call of its own. RDS
associates a role, and lets go of it, some time after the call: it shows the role as PENDING until then, and the
database counts as pending for as long (`state_at`). A feature has one role at a time, and a role that is on its way out
still has its place, so the roles that go are sent first. The roles are read again before each attempt: a refused call
is made once more with the rest of the work, not from the beginning.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tenuto.errors import ProviderError, TransientError
from tenuto.model.ids import Json, JsonMap
from tenuto.model.rate import MemberCalls
from tenuto.model.resource import Comparison, Rule
from tenuto.providers.aws.blocks.parts import Shown
from tenuto.providers.aws.blocks.thing import Thing
from tenuto.providers.aws.client.answers import faults
from tenuto.providers.aws.client.answers.answers import only
from tenuto.providers.aws.kind import Work
from tenuto.providers.aws.rates.buckets import calls_of

_NAME, _ROLE, _FEATURE = "AssociatedRoles", "RoleArn", "FeatureName"
ON_ITS_WAY = "PENDING"
"""The state of a role that RDS associates, or lets go."""


def state_at(status: str) -> str:
    """The path of the state of a database: that of a role on its way, where the database itself is available."""
    return f"({status} == 'available' && {_NAME}[?Status == '{ON_ITS_WAY}'].Status)[0] || {status}"


# A feature is a word of RDS, and a role that is shown with one is not the same role without.
ROLES_AS: Mapping[str, Rule] = {
    _NAME: Comparison.SET,
    f"{_NAME}[]": Comparison.KEYED,
    f"{_NAME}.{_FEATURE}": Comparison.FOLDED,
}


@dataclass(frozen=True, kw_only=True)
class Roles(Shown):
    """The whole list of roles, of a `kind` of database that the calls name so (`DBCluster`)."""

    kind: str

    @property
    def properties(self) -> frozenset[str]:
        return frozenset({_NAME})

    @property
    def defaults(self) -> JsonMap:
        return {_NAME: []}

    def read(self, thing: Thing) -> dict[str, Json]:
        return {_NAME: [_declared(one) for one in thing.answer.get(_NAME) or ()]}

    def prepare(self, work: Work, service: str, words: str) -> JsonMap | None:
        """Bring the roles to the desired ones. A change of anything else makes the database unavailable for a while, in
        which RDS takes no role; a password, which is sent anew with each attempt, would keep it so."""
        if work.differs(_NAME):
            self._exchange(work, service)
        return None

    def _exchange(self, work: Work, service: str) -> None:
        present: Sequence[JsonMap] = self._present(work, service)
        if any(one.get("Status") == ON_ITS_WAY for one in present):
            raise TransientError(f"RDS still works on a role of {work.id}.", code="IncorrectState")
        wanted = {_key(one): one for one in work.want(_NAME) or ()}
        there = {_key(one): one for one in present}
        gone = [key for key in there if key not in wanted]
        about = {f"{self.kind}Identifier": work.id}
        for key in gone:
            work.let_go(service, f"RemoveRoleFrom{self.kind}", **about, **_declared(there[key]))
        for key in [key for key in wanted if key not in there]:
            try:
                work.change(service, f"AddRoleTo{self.kind}", **about, **_declared(wanted[key]))
            except ProviderError as error:
                # The place of the new role may still be that of one that is on its way out.
                if not (gone and faults.is_taken(error)):
                    raise
                raise TransientError(str(error), code="IncorrectState", request_id=error.request_id) from error

    def _present(self, work: Work, service: str) -> Sequence[JsonMap]:
        answer = work.read(service, f"Describe{self.kind}s", **{f"{self.kind}Identifier": work.id})
        database = only(answer, f"{self.kind}s")
        return database.get(_NAME) or ()

    def members(self, service: str) -> Mapping[str, MemberCalls]:
        put, drop = (calls_of(f"{service}:{verb}{self.kind}") for verb in ("AddRoleTo", "RemoveRoleFrom"))
        return {_NAME: MemberCalls(put=put, drop=drop)}


def _declared(role: JsonMap) -> dict[str, Json]:
    """A role as a composition declares it, and as a call takes it."""
    return {name: role[name] for name in (_ROLE, _FEATURE) if role.get(name)}


def _key(role: JsonMap) -> tuple[str, str]:
    return str(role[_ROLE]), str(role.get(_FEATURE) or "").casefold()
