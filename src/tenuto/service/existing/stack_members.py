"""The members of a stack of another tool: the physical id of each, or why it cannot be taken over.

Theory of operation. The identity of each resource is told by the stack, or looked up by the declared properties. Values
are never taken from the stack: adoption reads them from the account. Its tags are, since no template declares them. A
thing that a process has made in place of one that is gone is the member from then on (`successors`).
"""

from bisect import bisect_right
from collections.abc import Collection, Mapping, Sequence

from tenuto.compositions.checks.managed import managed_of
from tenuto.compositions.checks.provided import default_schemas
from tenuto.compositions.cloudformation import stack_template
from tenuto.compositions.cloudformation.stack_tags import stack_tags
from tenuto.compositions.compile import Compiled, compile_text
from tenuto.compositions.diagnostics.codes import ACCEPTABLE, acceptable
from tenuto.core.language.resolve import Environment, ResolveError, is_resolved, resolve
from tenuto.core.planning.comparing.adoption import unread_text
from tenuto.errors import CompileError
from tenuto.model.diagnostic import Diagnostic, Severity
from tenuto.model.ids import Json, JsonMap, LogicalId, Partition, PhysicalId
from tenuto.model.observation import ObservedItem
from tenuto.model.snapshot import Candidate
from tenuto.model.stack import Member, Stack, StackResource, StackTags
from tenuto.ports.conductor import Conductor
from tenuto.ports.stacks import StackBook
from tenuto.ports.store import Store
from tenuto.service.accounts.accounts import known_account
from tenuto.service.existing.successors import successors

_NESTED = "AWS::CloudFormation::Stack"
_CUSTOM = ("Custom::", "AWS::CloudFormation::CustomResource")
_LEFT = ("DELETE_COMPLETE", "DELETE_SKIPPED")
"""The statuses of resources that a stack still lists, but does not manage any more."""
_ACCEPTABLE = frozenset(one.code for one in ACCEPTABLE)
_PLACEHOLDER = "tenuto-does-not-read-it"
"""The value of a parameter that the stack does not tell, where only identities are computed."""


class StackMembers:
    """Finds the members of stacks in the accounts."""

    def __init__(self, *, store: Store, conductor: Conductor) -> None:
        self._store = store
        self._conductor = conductor

    def of(self, stack: Stack, partition: Partition, book: StackBook) -> tuple[Member, ...]:
        """The members of a stack, in the order in which it lists them. Raises UserError and ProviderError, and
        CompileError, with places in the template of the stack, when that does not compile."""
        types = self._conductor.types()
        declared = stack_template.names_in(stack.template, stack_template.RESOURCES)
        wanted = [one for one in stack.resources if _is_member(one, declared)]
        if not wanted:
            return ()
        refused = {
            one.logical_id: why
            for one in wanted
            if (why := _refusal(one, one.type in types, one.logical_id in declared))
        }
        if refused:
            # A template with a refused resource does not compile, and then nothing else can be said.
            return tuple(
                Member(
                    logical_id=one.logical_id, type=one.type, physical_id=None, problem=refused.get(one.logical_id, "")
                )
                for one in wanted
            )
        compiled = self._compiled(stack, wanted, partition)
        properties = {one.logical_id: one.properties for one in compiled.composition.resources}
        accepted = _accepted(compiled)
        ids = {one.logical_id: PhysicalId(one.given_id) for one in wanted if book.is_known_by_given_id(one.type)}
        candidates = self._candidates(partition, wanted, ids)
        made = successors(wanted, candidates, partition, self._store)
        ids |= made
        candidates |= self._candidates(partition, wanted, made)
        environment = Environment(
            references={one.logical_id: made.get(one.logical_id, one.given_id) for one in wanted},
            attributes=_attributes(_shown(candidates)),
            region=partition.region,
        )
        others = {
            one.logical_id: _resolved(properties, one, environment) for one in wanted if one.logical_id not in ids
        }
        derived = {
            one.logical_id: identifier
            for one in wanted
            if one.logical_id in others
            and (identifier := book.derive(partition, one.type, one.given_id, others[one.logical_id])) is not None
        }
        candidates |= self._candidates(partition, wanted, derived)
        shown = _shown(candidates)
        ids |= derived
        looked_up = {
            one.logical_id: identified
            for one in wanted
            if one.logical_id not in ids
            and (identified := book.identify(partition, one.type, one.given_id, others[one.logical_id])) is not None
        }
        tags = self._tags(stack, partition, wanted, properties, shown, looked_up)
        members = []
        for one in wanted:
            found = ids[one.logical_id] if one.logical_id in shown else looked_up.get(one.logical_id)
            problem = "" if found else _missing(one, candidates.get(one.logical_id), partition)
            members.append(
                Member(
                    logical_id=one.logical_id,
                    type=one.type,
                    physical_id=found,
                    problem=problem,
                    accepted=accepted.get(one.logical_id, ()),
                    tags=tags.get(one.logical_id),
                )
            )
        return tuple(members)

    def _tags(
        self,
        stack: Stack,
        partition: Partition,
        wanted: list[StackResource],
        properties: Mapping[LogicalId, JsonMap],
        shown: Mapping[LogicalId, ObservedItem],
        looked_up: Mapping[LogicalId, PhysicalId],
    ) -> dict[LogicalId, StackTags]:
        """The tags of the stack that its things carry and that are not declared, by resource."""
        if not stack.tags:
            return {}
        schemas = default_schemas(partition.region)
        items = {**shown, **_shown(self._candidates(partition, wanted, looked_up))}
        found: dict[LogicalId, StackTags] = {}
        for one in wanted:
            item = items.get(one.logical_id)
            schema, declared = schemas.find(one.type), properties.get(one.logical_id, {})
            added = stack_tags(stack.tags, schema, item.properties, declared) if item is not None else None
            if added is not None:
                found[one.logical_id] = added
        return found

    def _compiled(self, stack: Stack, wanted: Sequence[StackResource], partition: Partition) -> Compiled:
        """The template, in which each resource accepts the choices of AWS: these are made already."""
        accepted = {one.logical_id: found for one in wanted if (found := acceptable(one.type))}
        try:
            return self._compile(stack, stack_template.identified(stack.template, {}, accepted), partition)
        except CompileError as failed:
            raise CompileError(str(failed), self._as_written(stack, partition, failed)) from None

    def _as_written(self, stack: Stack, partition: Partition, refused: CompileError) -> Sequence[object]:
        """Return the errors with their places in the template as the stack has it. Where its errors are others, the
        given ones are returned."""
        known = {(one.code, one.subject, one.detail) for one in _errors(refused)}
        try:
            self._compile(stack, stack.template, partition)
        except CompileError as failed:
            same = [one for one in _errors(failed) if (one.code, one.subject, one.detail) in known]
            return same if len(same) == len(_errors(refused)) else refused.diagnostics
        return refused.diagnostics

    def _compile(self, stack: Stack, text: str, partition: Partition) -> Compiled:
        return compile_text(
            text,
            file=f"{stack.name}.template",
            parameters={**stack.parameters, **dict.fromkeys(stack.hidden, _PLACEHOLDER)},
            region=partition.region,
            account_id=known_account(self._store, partition.account).account_id or None,
            managed=managed_of(self._conductor.types()),
            looked_up=stack.looked_up,
        )

    def _candidates(
        self, partition: Partition, wanted: list[StackResource], ids: Mapping[LogicalId, PhysicalId]
    ) -> dict[LogicalId, Candidate]:
        """The answers of a fresh sweep for those among the wanted that have one of these ids."""
        asked = [one for one in wanted if one.logical_id in ids]
        candidates = self._conductor.existing(partition, [(one.type, ids[one.logical_id]) for one in asked])
        return {one.logical_id: candidate for one, candidate in zip(asked, candidates, strict=True)}


def _shown(candidates: Mapping[LogicalId, Candidate]) -> dict[LogicalId, ObservedItem]:
    return {name: one.item for name, one in candidates.items() if one.item is not None}


def _attributes(items: Mapping[LogicalId, ObservedItem]) -> dict[tuple[str, str], Json]:
    return {(one, name): value for one, found in items.items() for name, value in found.attributes.items()}


def _missing(one: StackResource, candidate: Candidate | None, partition: Partition) -> str:
    """Say why there is no thing for a resource, where none was found."""
    if candidate is not None and candidate.unread:
        return f"{candidate.physical_id} {unread_text(candidate, partition)}"
    return f"no {one.type} was found for it; the stack shows {one.given_id or 'no id'}"


def _is_member(one: StackResource, declared: Collection[str]) -> bool:
    """Whether a row of the stack tells a resource of it. Some rows tell nothing: a resource that a condition leaves out
    has neither a name nor a type where a stack is emulated; and some tell of resources that the stack has let go of."""
    if one.type in stack_template.DROPPED:
        return False
    return one.logical_id in declared or (bool(one.type and one.given_id) and one.status not in _LEFT)


def _refusal(one: StackResource, is_managed: bool, is_declared: bool) -> str:
    if one.type == _NESTED:
        name = one.given_id.split("/")[1] if "/" in one.given_id else one.given_id
        return (
            f"a nested stack; import {name or 'it'} by its own name. For this stack, first update it with "
            f"'DeletionPolicy: Retain' at {one.logical_id}, and then without {one.logical_id}"
        )
    if one.type.startswith(_CUSTOM):
        return "a custom resource, whose program answers to its stack; take it out of the stack first"
    if not is_declared:
        return f"{one.status}, and not in the template of the stack any more; have CloudFormation finish with it first"
    return "" if is_managed else f"Tenuto does not manage {one.type}; take it out of the stack first"


def _errors(failed: CompileError) -> list[Diagnostic]:
    return [one for one in failed.diagnostics if isinstance(one, Diagnostic) and one.severity is Severity.ERROR]


def _accepted(compiled: Compiled) -> Mapping[LogicalId, tuple[str, ...]]:
    """The codes of the errors that this release finds in properties that AWS has accepted, by resource."""
    placed = sorted(
        (one.position.line, one.position.column, one.logical_id)
        for one in compiled.composition.resources
        if one.position is not None
    )
    found: dict[LogicalId, set[str]] = {}
    for one in compiled.diagnostics:
        if one.position is not None and one.code in _ACCEPTABLE:
            at = bisect_right(placed, (one.position.line, one.position.column), key=lambda place: place[:2]) - 1
            found.setdefault(placed[at][2], set()).add(one.code)
    return {name: tuple(sorted(codes)) for name, codes in found.items()}


def _resolved(properties: Mapping[LogicalId, JsonMap], one: StackResource, environment: Environment) -> JsonMap:
    """The properties of a resource that are known, with their references resolved."""
    found: dict[str, Json] = {}
    for name, value in properties.get(one.logical_id, {}).items():
        try:
            resolved = resolve(value, environment)
        except ResolveError:
            continue
        if is_resolved(resolved):
            found[name] = resolved
    return found
