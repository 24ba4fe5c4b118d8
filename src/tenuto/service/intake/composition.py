"""The intake of a composition: the checks that it passes before a process may run it.

The client has compiled it, but the client is not trusted: its document is read and judged again here, and the questions
are asked that only the Conductor can answer: whether a provider manages every type, the results of the lookups, whether
the rules in effect are kept, how secrets are sealed.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from tenuto.compositions.checks.managed import managed_of, unfit
from tenuto.compositions.diagnostics.codes import NOT_POSSIBLE
from tenuto.compositions.documents.assertions import failed_assertions
from tenuto.compositions.documents.canonical import digest
from tenuto.compositions.documents.document import from_document
from tenuto.core.access.accounts import check_listed, check_region
from tenuto.core.access.masking import Masker, masked_errors
from tenuto.errors import CompileError, UserError
from tenuto.kit.regions import Regions, names_aws
from tenuto.model import cloud_node
from tenuto.model.cloud_node import CLOUD_NODE
from tenuto.model.composition import Composition, Declaration
from tenuto.model.diagnostic import Diagnostic, Severity
from tenuto.model.ids import Fid, Json, JsonMap, Partition, TypeName
from tenuto.model.objection import Objection
from tenuto.model.process import Process
from tenuto.model.resource import ResourceType
from tenuto.ports.conductor import Conductor
from tenuto.ports.secrets import Secrets, place_of_parameter
from tenuto.service.intake.fetched_secrets import fetch_secrets
from tenuto.service.intake.looking_up import look_up
from tenuto.service.intake.provider_choice import provider_of
from tenuto.service.intake.rule_book import RuleBook, told
from tenuto.service.objects.limits import Limits

_TOLD = 3
"""Problems in the message itself; all of them are in the diagnostics."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Submission:
    """The input of a client: a compiled composition as a document, and the values of its NoEcho parameters.

    `sealed` are values that come back from a plan file as this Conductor sealed them.
    """

    document: JsonMap
    secrets: Mapping[str, str]
    sealed: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Accepted:
    """A composition that a process can run, with all that belongs to it."""

    composition: Composition
    provider: str
    partition: Partition
    lookups: JsonMap
    sealed: Mapping[str, str]
    rules: str
    """The fingerprint of the rules that it keeps."""


class Intake:
    """Judges submissions. Raises CompileError with one diagnostic per problem, ViolationError, NoRoomError, or
    UserError."""

    def __init__(
        self, *, conductor: Conductor, secrets: Secrets, rules: RuleBook, regions: Regions, limits: Limits
    ) -> None:
        self._limits = limits
        self._conductor = conductor
        self._secrets = secrets
        self._rules = rules
        self._regions = regions

    def accept(self, submission: Submission, *, account: str, fid: Fid) -> Accepted:
        """Judge the composition of a new process, which will have this FID."""
        return self._accept(submission, account, fid, {})

    def accept_for(self, process: Process, submission: Submission, *, known: Composition | None) -> Accepted:
        """Judge another composition for a process, which stays where it is. `known` is the one it has now: a secret
        that did not change need not be sent again."""
        unchanged = {
            (name, parameter.fingerprint): process.sealed[name]
            for name, parameter in (known.parameters.items() if known else ())
            if name in process.sealed
        }
        accepted = self._accept(
            submission, process.partition.account, process.fid, unchanged, own=process.provider, known=known
        )
        place = (accepted.partition.region, accepted.provider)
        if place != (process.partition.region, process.provider):
            raise UserError(
                f"Process {process.alias or process.fid} runs in {process.partition.region} on {process.provider}; "
                f"the composition is for {place[0]} on {place[1]}. Compile it for {process.partition.region}, or run "
                "it as a new process."
            )
        return accepted

    def _accept(
        self,
        submission: Submission,
        account: str,
        fid: Fid,
        unchanged: Mapping[tuple[str, str], str],
        *,
        own: str | None = None,
        known: Composition | None = None,
    ) -> Accepted:
        composition = _with_kept(from_document(submission.document), known)
        check_region(composition.region)
        # Of a process that is there, the region was checked when it was new. The list may have been another one.
        if own is None and names_aws(one.type for one in composition.resources):
            check_listed(composition.region, self._regions)
        partition = Partition(account=account, region=composition.region)
        _check_managed(composition, self._conductor.types())
        provider = provider_of(composition, self._conductor, own=own)
        _check_managed(composition, self._conductor.types(provider))
        with masked_errors(Masker(submission.secrets.values())):
            fetched = fetch_secrets(composition, partial(self._conductor.lookup, provider, partition))
        composition, secrets = fetched.composition, {**submission.secrets, **fetched.secrets}
        with masked_errors(Masker(secrets.values())):
            lookups = self._look_up(composition, provider, partition)
        _check_assertions(composition, lookups)
        self._check_limits(composition, account, provider, fid)
        self._check_possible(composition, provider, partition, fid, known)
        return Accepted(
            composition=composition,
            provider=provider,
            partition=partition,
            lookups=lookups,
            rules=self._rules.check(composition, account=account, lookups=lookups),
            sealed=self._seal(composition, replace(submission, secrets=secrets), fid, unchanged),
        )

    def _check_limits(self, composition: Composition, account: str, provider: str, fid: Fid) -> None:
        """Raise NoRoomError for more than the namespace of the process may have."""
        types = self._conductor.types(provider)
        declared = {
            one.logical_id: (types[one.type].lifecycle, one.properties, _place_of(one)) for one in composition.resources
        }
        self._limits.check_declared(account, fid, declared)

    def _check_possible(
        self, composition: Composition, provider: str, partition: Partition, fid: Fid, known: Composition | None
    ) -> None:
        """Raise CompileError for nodes that lack a property that the provider needs, and for the objections of the
        provider. A resource that the process has already is not judged again: it could not be corrected any more."""
        before = {one.logical_id: one.properties for one in known.resources} if known else {}
        fresh = [one for one in composition.resources if before.get(one.logical_id) != one.properties]
        positions = {one.logical_id: one.position for one in fresh}
        known_ones = [one for one in composition.resources if one.logical_id not in positions]
        objected = self._conductor.objections(provider, partition, fid, (*known_ones, *fresh))
        objections = [
            *_objections_to_nodes(fresh, provider, self._conductor.types(provider)),
            *(one for one in objected if one.logical_id in positions),
        ]
        problems = tuple(
            Diagnostic(
                severity=Severity.ERROR,
                code=NOT_POSSIBLE.code,
                summary=NOT_POSSIBLE.summary,
                detail=one.detail,
                subject=f"Resources.{one.logical_id}.Properties.{one.path}",
                hint=one.hint,
                position=positions[one.logical_id],
            )
            for one in objections
        )
        if problems:
            raise CompileError(
                f"The composition cannot be as it is declared, and nothing was changed:{told(problems)}",
                problems,
            )

    def _seal(
        self, composition: Composition, submission: Submission, fid: Fid, unchanged: Mapping[tuple[str, str], str]
    ) -> dict[str, str]:
        wanted = {name: one.fingerprint for name, one in sorted(composition.parameters.items()) if one.fingerprint}
        given, returned = submission.secrets, submission.sealed
        strange = sorted((given.keys() | returned.keys()) - wanted.keys())
        if strange:
            raise UserError(f"Secrets were sent that the composition does not declare: {', '.join(strange)}.")
        sealed: dict[str, str] = {}
        for name, fingerprint in wanted.items():
            place = place_of_parameter(fid, name)
            if name in given:
                sealed[name] = self._secrets.seal(given[name], place)
            elif name in returned and self._secrets.is_bound(returned[name]):
                self._secrets.unseal(returned[name], place)  # Refused here rather than in the middle of an update.
                sealed[name] = returned[name]
            elif (name, fingerprint) in unchanged:
                sealed[name] = self._bound(unchanged[name, fingerprint], place)
            else:
                raise UserError(f"The value of the NoEcho parameter {name} is missing. Give it as --parameter {name}=…")
        return sealed

    def _bound(self, sealed: str, place: str) -> str:
        """A seal of the store that names its place, as those of before did not."""
        if self._secrets.is_bound(sealed):
            return sealed
        return self._secrets.seal(self._secrets.unseal(sealed, place), place)

    def _look_up(self, composition: Composition, provider: str, partition: Partition) -> dict[str, Json]:
        keys = {name: one.lookup for name, one in sorted(composition.parameters.items()) if one.lookup}
        found = look_up(self._conductor, provider, partition, keys.values())
        return {name: found[key] for name, key in keys.items()}


def _with_kept(composition: Composition, known: Composition | None) -> Composition:
    """The composition with the fingerprints of the secrets that the process keeps, so that it is the one that it would
    be if they had been given again. Raises UserError for one that the process does not have."""
    kept = sorted(name for name, one in composition.parameters.items() if one.is_kept)
    if not kept:
        return composition
    before = known.parameters if known else {}
    missing = [name for name in kept if name not in before or not before[name].fingerprint]
    if missing:
        raise UserError(
            f"There is no value to keep of the NoEcho {'parameter' if len(missing) == 1 else 'parameters'} "
            f"{', '.join(missing)}. Give it as --parameter {missing[0]}=…"
        )
    whole = replace(composition, parameters={**composition.parameters, **{name: before[name] for name in kept}})
    return replace(whole, digest=digest(whole))


def _check_assertions(composition: Composition, lookups: JsonMap) -> None:
    failed = failed_assertions(composition.assertions, lookups)
    if failed:
        raise CompileError(
            f"The values that were looked up do not meet the rules of the template, and nothing was changed:"
            f"{told(failed)}",
            failed,
        )


def _objections_to_nodes(
    declared: Sequence[Declaration], provider: str, types: Mapping[TypeName, ResourceType]
) -> Iterator[Objection]:
    """A node is checked here because no schema is: each provider needs other properties of its nodes."""
    needed = types[CLOUD_NODE].required if CLOUD_NODE in types else frozenset()
    for one in declared:
        for name in cloud_node.lacking(one, provider, needed):
            yield Objection(
                logical_id=one.logical_id,
                path=name,
                detail=f"{one.type} {one.logical_id} needs {name} on {provider}.",
                hint=f"Add {name}, or name another provider in its property Provider.",
            )


def _place_of(declared: Declaration) -> str:
    """A declared resource with its file and line, where they are known."""
    at = declared.position
    return f"{declared.logical_id} at {at.file}:{at.line}" if at is not None else declared.logical_id


def _check_managed(composition: Composition, types: Mapping[TypeName, ResourceType]) -> None:
    """Raise CompileError for resources that no provider manages, or that it cannot hold."""
    problems = unfit(composition.resources, managed_of(types))
    if problems:
        positions = {one.logical_id: one.position for one in composition.resources}
        told = " ".join(one.detail for one in problems[:_TOLD])
        more = f" And {len(problems) - _TOLD} more like that." if len(problems) > _TOLD else ""
        raise CompileError(
            f"This Conductor cannot run the composition. {told}{more}",
            tuple(
                Diagnostic(
                    severity=Severity.ERROR,
                    code=one.code.code,
                    summary=one.code.summary,
                    detail=one.detail,
                    subject=one.subject,
                    hint=one.hint,
                    position=positions[one.logical_id],
                )
                for one in problems
            ),
        )
