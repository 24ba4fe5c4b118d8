"""The rules of a Conductor: added, shown, removed, and asked about a composition that does not run yet.

A rule is added only if no live process violates it, suspended and dying ones included: they may come back. While the
processes are asked, others may be run or updated; the store tells so in the commit, and they are asked again.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from tenuto.compositions.diagnostics.codes import BAD_RULE
from tenuto.compositions.documents.document import from_document
from tenuto.compositions.rules.document import rule_document, rule_of
from tenuto.compositions.rules.judge import judge
from tenuto.errors import CompileError, ConflictError, NotFoundError, UserError, ViolationError
from tenuto.kit.canonical import to_text
from tenuto.kit.nearest import did_you_mean, meant
from tenuto.model.composition import Composition
from tenuto.model.diagnostic import Diagnostic
from tenuto.model.event import Event, EventType
from tenuto.model.ids import Json, JsonMap, Partition, TypeName
from tenuto.model.process import Process
from tenuto.model.rule import WHOLE, Rule, StoredRule
from tenuto.ports.clock import Clock
from tenuto.ports.conductor import Conductor
from tenuto.ports.store import Store
from tenuto.ports.store_administration import ProcessVersion, RemoveRule, SaveRule
from tenuto.ports.store_changes import Append
from tenuto.service.accounts.accounts import known_account
from tenuto.service.common.until_stored import until_stored
from tenuto.service.common.values import time_text
from tenuto.service.intake.rule_book import RuleBook, errors_of, told

MOST_RULES = 200
"""Each is asked at every run and update; who needs more should write fewer, larger ones."""
_ENOUGH = 100
"""Violations of running processes that are collected; no user corrects more before the next try."""


class Validations:
    """Every method may raise StoreError, and then has changed nothing. Rights are the gatekeeper's matter."""

    def __init__(self, *, store: Store, clock: Clock, conductor: Conductor) -> None:
        self._store = store
        self._clock = clock
        self._conductor = conductor
        self._book = RuleBook(store)

    def rules(self) -> tuple[StoredRule, ...]:
        """Return all rules, by name."""
        return self._store.rules()

    def rule(self, name: str) -> StoredRule:
        """Raises NotFoundError."""
        found = self._find(name)
        if found is None:
            guess = meant(name, (one.rule.name for one in self._store.rules()))
            raise NotFoundError(f"There is no validation {name!r}.{guess} 'tenuto validation list' lists them.")
        return found

    @until_stored
    def add(self, document: Json, *, actor: str, replaces: bool = False) -> StoredRule:
        """A rule from now on. Raises CompileError when the document is no rule, UserError when another one has its name
        (unless `replaces`), ViolationError when a live process violates it. The same rule again changes nothing."""
        rule = rule_of(document)
        self._check_type(rule)
        before = self._find(rule.name)
        if before is not None and before.rule == rule:
            return before
        self._check_place(rule, before, replaces=replaces)
        stored = StoredRule(rule=rule, added_at=self._clock.now(), added_by=actor)
        processes = self._store.processes(live=True)
        self._check_processes(rule, processes)
        held = frozenset(ProcessVersion.of(one) for one in processes)
        done = "replaced" if before else "added"
        self._store.commit((SaveRule(rule=stored, held=held), self._changed(rule.name, done, actor)))
        return stored

    def remove(self, name: str, *, actor: str) -> StoredRule:
        """The rule that holds no more. Raises NotFoundError."""
        found = self.rule(name)
        try:
            self._store.commit((RemoveRule(name=name), self._changed(name, "removed", actor)))
        except ConflictError:
            return self.rule(name)  # Another user removed it: not found.
        return found

    def check(self, document: JsonMap, *, account: str) -> tuple[Diagnostic, ...]:
        """The verdict of the rules on a compiled composition, warnings included. Raises CompileError when it is none,
        NotFoundError when there is no such account."""
        composition = from_document(document)
        account = known_account(self._store, account).name
        keys = {name: one.lookup for name, one in composition.parameters.items() if not one.is_secret}
        partition = Partition(account=account, region=composition.region)
        found = self._look_up(composition, partition, sorted(set(keys.values()))) if keys and self.rules() else {}
        lookups = {name: found[key] for name, key in keys.items() if key in found}
        return self._book.judge(composition, account=account, lookups=lookups).diagnostics

    def _look_up(self, composition: Composition, partition: Partition, keys: Sequence[str]) -> Mapping[str, Json]:
        """Each key as a provider of the composition's types tells it; keys that no provider manages are left out."""
        names = {one.type for one in composition.resources}
        providers = sorted({provider for name in names for provider in self._conductor.bringing(name)[:1]})
        found: dict[str, Json] = {}
        for provider in providers:
            found.update(self._conductor.lookup(provider, partition, keys))
        return found

    def _find(self, name: str) -> StoredRule | None:
        return next((one for one in self._store.rules() if one.rule.name == name), None)

    def _check_type(self, rule: Rule) -> None:
        """Refuse a rule over a type that no provider manages: it would never be asked."""
        types = self._conductor.types()
        if rule.applies_to == WHOLE or TypeName(rule.applies_to) in types:
            return
        detail = f"No provider of this Conductor manages {rule.applies_to}, so the rule would never be checked."
        diagnostic = Diagnostic(
            severity=BAD_RULE.severity,
            code=BAD_RULE.code,
            summary=BAD_RULE.summary,
            detail=detail,
            subject="applies_to",
            hint=did_you_mean(rule.applies_to, types) or "'tenuto types' lists the types.",
            rule=rule.name,
        )
        raise CompileError(f"{detail} {diagnostic.hint}", (diagnostic,))

    def _check_place(self, rule: Rule, before: StoredRule | None, *, replaces: bool) -> None:
        if before is not None and not replaces:
            raise UserError(
                f"There is another validation {rule.name} already. Give the rule another name, or say --replace to put "
                "it in the place of that one."
            )
        if before is None and len(self._store.rules()) >= MOST_RULES:
            raise UserError(f"There are {MOST_RULES} validations already, and no more can be added. Remove some first.")

    def _check_processes(self, rule: Rule, processes: tuple[Process, ...]) -> None:
        judged: dict[tuple[str, str, str], tuple[Diagnostic, ...]] = {}
        found: list[Diagnostic] = []
        for process in processes:
            if len(found) >= _ENOUGH:
                break
            account = process.partition.account
            key = (process.composition_digest, account, to_text(process.lookups))
            if key not in judged:
                composition = self._store.composition(process.composition_digest)
                judged[key] = (
                    errors_of(judge([rule], composition, account=account, lookups=process.lookups))
                    if composition is not None
                    else ()
                )
            name = process.alias or process.fid
            found += [
                replace(one, detail=f"Process {name}: {one.detail}", subject=f"{name}: {one.subject}")
                for one in judged[key]
            ]
        if found:
            raise ViolationError(
                f"The validation {rule.name} was not added: running processes violate it.{told(tuple(found))}\n"
                "Update them first, then add it again.",
                tuple(found),
            )

    def _changed(self, name: str, reason: str, actor: str) -> Append:
        at = self._clock.now()
        event = Event(at=at, type=EventType.VALIDATION_CHANGED, subject=name, actor=actor, reason=reason)
        return Append(events=(event,))


def validation_document(stored: StoredRule) -> JsonMap:
    """A rule as people see it."""
    return {**rule_document(stored.rule), "added": time_text(stored.added_at), "added_by": stored.added_by}
