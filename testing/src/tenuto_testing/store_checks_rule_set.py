"""The duties of every store for the rules that compositions are held to."""

from dataclasses import replace
from itertools import pairwise

from tenuto.errors import ConflictError
from tenuto.model.command import ProcessState
from tenuto.model.ids import Fid, Instant
from tenuto.model.process import Process
from tenuto.model.resource import Move
from tenuto.model.rule import fingerprint
from tenuto.ports.store import Store
from tenuto.ports.store_administration import ExpectRules, ProcessVersion, RemoveRule, SaveRule
from tenuto.ports.store_changes import CreateProcess, SaveProcess
from tenuto_testing.store_bench import raises, unchanged
from tenuto_testing.store_samples import DB, WEB, a_process, a_rule


def a_rule_has_its_last_text_until_it_is_removed(store: Store) -> None:
    assert store.rules() == ()
    store.commit([SaveRule(rule=a_rule("b"), held=frozenset()), SaveRule(rule=a_rule("a"), held=frozenset())])
    store.commit([SaveRule(rule=a_rule("b", "zwölf"), held=frozenset())])
    assert store.rules() == (a_rule("a"), a_rule("b", "zwölf"))
    store.commit([RemoveRule(name="b")])
    assert store.rules() == (a_rule("a"),)


def a_rule_that_is_not_there_cannot_be_removed(store: Store) -> None:
    store.commit([SaveRule(rule=a_rule("a"), held=frozenset())])
    with unchanged(store):
        raises((ConflictError,), store, [RemoveRule(name="a"), RemoveRule(name="a")])


def a_rule_is_refused_when_a_live_process_was_not_held_against_it(store: Store) -> None:
    web, db = a_process(WEB), a_process(DB)
    gone = a_process(Fid("gone"))
    store.commit([CreateProcess(process=one, actor="t") for one in (web, db, gone)])
    states = (ProcessState.RUNNING, ProcessState.KILLING, ProcessState.GONE)
    moves = tuple(Move(before=a, after=b, at=Instant(200.0), actor="t") for a, b in pairwise(states))
    store.commit([SaveProcess(process=replace(gone, state=states[-1]), expected_generation=1, moves=moves)])
    with unchanged(store):
        raises((ConflictError,), store, [SaveRule(rule=a_rule("a"), held=_versions(web))])
        other = a_process(DB, composition_digest="other")
        raises((ConflictError,), store, [SaveRule(rule=a_rule("a"), held=_versions(web, other))])
        later = a_process(DB, updated_at=Instant(db.updated_at + 1))
        raises((ConflictError,), store, [SaveRule(rule=a_rule("a"), held=_versions(web, later))])
    store.commit([SaveRule(rule=a_rule("a"), held=_versions(web, db))])
    assert store.rules() == (a_rule("a"),)


def what_was_judged_by_other_rules_is_refused(store: Store) -> None:
    none, one = fingerprint(()), fingerprint([a_rule("a").rule])
    store.commit([ExpectRules(fingerprint=none), SaveRule(rule=a_rule("a"), held=frozenset())])
    run = CreateProcess(process=a_process(WEB), actor="t")
    with unchanged(store):
        raises((ConflictError,), store, [run, ExpectRules(fingerprint=none)])
    store.commit([run, ExpectRules(fingerprint=one)])


def _versions(*processes: Process) -> frozenset[ProcessVersion]:
    return frozenset(ProcessVersion.of(one) for one in processes)
