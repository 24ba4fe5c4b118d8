"""Rules of a Conductor: behaviours 71 and 72 of the list, and what happens when two people are at it at once."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest
from front import Front, submission

from tenuto.errors import CompileError, ConflictError, NotFoundError, UserError, ViolationError
from tenuto.model.account import Account
from tenuto.model.diagnostic import Diagnostic
from tenuto.model.event import EventType
from tenuto.ports.store_administration import SaveAccount
from tenuto.ports.store_changes import StoreChange
from tenuto.ports.store_reads import EventQuery
from tenuto.service.intake.validations import MOST_RULES, Validations
from tenuto.storage.sqlite.memory import MemoryStore

WIDE = "Resources: {Net: {Type: Simulated::Network, Properties: {CidrBlock: 0.0.0.0/0}}}"
NARROW = "Resources: {Net: {Type: Simulated::Network, Properties: {CidrBlock: 10.0.0.0/8}}}"
RULE: Mapping[str, Any] = {
    "name": "narrow",
    "applies_to": "Simulated::Network",
    "expression": 'properties.CidrBlock != "0.0.0.0/0"',
    "message": "A network is not the world.",
}


class Busy(MemoryStore):
    """A store in which somebody does something just before the next commit."""

    def __init__(self) -> None:
        super().__init__()
        self.before: list[Callable[[], object]] = []

    def commit(self, changes: Any) -> None:
        if self.before:
            self.before.pop()()
        super().commit(changes)


@pytest.fixture
def store() -> Busy:
    return Busy()


@pytest.fixture
def front(store: Busy) -> Front:
    return Front(store)


@pytest.fixture
def validations(front: Front) -> Validations:
    return front.services.validations


def everything(front: Front) -> tuple[object, ...]:
    return (front.store.processes(live=False), front.store.rules(), front.store.events(EventQuery()))


def test_behaviour_71_a_rule_that_a_running_process_violates_is_refused_and_names_it(
    front: Front, validations: Validations
) -> None:
    front.commands.run(submission(WIDE, name="wide"), alias="web")
    front.commands.run(submission(NARROW), alias="db")
    front.commands.suspend("web")
    before = everything(front)
    with pytest.raises(ViolationError) as caught:
        validations.add(RULE, actor="ann")
    assert "The validation narrow was not added: running processes violate it." in str(caught.value)
    assert "wide.yaml:1: Process web: Net: A network is not the world." in str(caught.value)
    assert "Process db" not in str(caught.value)
    (found,) = [one for one in caught.value.diagnostics if isinstance(one, Diagnostic)]
    assert (found.rule, found.subject) == ("narrow", "web: Resources.Net")
    assert everything(front) == before
    front.commands.update("web", submission(NARROW))
    added = validations.add(RULE, actor="ann")
    assert (added.added_by, added.added_at) == ("ann", front.clock.now())
    assert validations.rules() == (added,)


def test_a_dying_process_counts_because_it_may_come_back(front: Front, validations: Validations) -> None:
    front.commands.run(submission(WIDE), alias="web")
    front.commands.kill("web")
    with pytest.raises(ViolationError, match="Process web"):
        validations.add(RULE, actor="ann")


def test_behaviour_72_what_violates_a_rule_is_neither_run_nor_updated(front: Front, validations: Validations) -> None:
    validations.add(RULE, actor="ann")
    front.commands.run(submission(NARROW), alias="web")
    before = everything(front)
    wide = submission(WIDE, name="wide")
    attempts: list[Callable[[], object]] = [
        lambda: front.commands.run(wide, alias="other"),
        lambda: front.commands.run(wide, alias="other", adopts=True),
        lambda: front.commands.apply(wide, alias="other"),
        lambda: front.commands.apply(wide, alias="web"),
        lambda: front.commands.update("web", wide),
        lambda: front.commands.dry_runs.run(wide, alias="other", account="default"),
        lambda: front.commands.dry_runs.apply(wide, alias="web", account=None),
        lambda: front.commands.dry_runs.update("web", wide),
    ]
    for attempt in attempts:
        with pytest.raises(ViolationError) as caught:
            attempt()
        assert "wide.yaml:1: Net: A network is not the world. (validation narrow)." in str(caught.value)
        assert everything(front) == before
    front.commands.suspend("web")
    with pytest.raises(ViolationError):
        front.commands.update("web", wide)


def test_a_plan_file_is_held_to_the_rules_of_the_moment_it_is_executed(front: Front, validations: Validations) -> None:
    front.commands.run(submission(NARROW), alias="web")
    planned = front.commands.dry_runs.update("web", submission(WIDE))
    validations.add(RULE, actor="ann")
    assert planned.file is not None
    with pytest.raises(ViolationError):
        front.commands.execute("web", planned.file)


def test_a_warning_stops_nothing(front: Front, validations: Validations) -> None:
    front.commands.run(submission(WIDE), alias="web")
    validations.add({**RULE, "severity": "warning"}, actor="ann")
    front.commands.update("web", submission(WIDE, name="again"))
    found = validations.check(submission(WIDE).document, account="default")
    assert [(one.code, one.rule) for one in found] == [("T806", "narrow")]


def test_a_rule_that_is_removed_holds_no_more(front: Front, validations: Validations) -> None:
    validations.add(RULE, actor="ann")
    front.clock.advance(5)
    assert validations.remove("narrow", actor="bob").rule.name == "narrow"
    front.commands.run(submission(WIDE), alias="web")
    with pytest.raises(NotFoundError, match="There is no validation 'narrow'"):
        validations.remove("narrow", actor="bob")
    with pytest.raises(NotFoundError):
        validations.rule("narrow")
    events = front.store.events(EventQuery(types=(EventType.VALIDATION_CHANGED,)))
    assert [(one.subject, one.reason, one.actor) for one in events] == [
        ("narrow", "added", "ann"),
        ("narrow", "removed", "bob"),
    ]


def test_the_same_rule_again_changes_nothing_and_another_of_its_name_must_say_so(
    front: Front, validations: Validations
) -> None:
    first = validations.add(RULE, actor="ann")
    front.clock.advance(5)
    assert validations.add(RULE, actor="bob") == first
    other = {**RULE, "message": "No."}
    with pytest.raises(UserError, match="another validation narrow already"):
        validations.add(other, actor="bob")
    assert validations.add(other, actor="bob", replaces=True).added_by == "bob"
    assert [one.rule.message for one in validations.rules()] == ["No."]


def test_a_rule_over_a_type_that_nobody_manages_is_refused(validations: Validations) -> None:
    with pytest.raises(CompileError, match=r"manages Simulated::Netwrok.*Did you mean Simulated::Network\?"):
        validations.add({**RULE, "applies_to": "Simulated::Netwrok"}, actor="ann")


def test_there_are_only_so_many_rules(validations: Validations) -> None:
    for number in range(MOST_RULES):
        validations.add({**RULE, "name": f"r{number}"}, actor="ann")
    with pytest.raises(UserError, match="no more can be added"):
        validations.add({**RULE, "name": "more"}, actor="ann")
    validations.add({**RULE, "name": "r1", "message": "Other."}, actor="ann", replaces=True)


def test_a_process_that_is_run_while_a_rule_is_added_is_asked_too(
    front: Front, store: Busy, validations: Validations
) -> None:
    store.before.append(lambda: front.commands.run(submission(WIDE), alias="web"))
    with pytest.raises(ViolationError, match="Process web"):
        validations.add(RULE, actor="ann")
    assert validations.rules() == ()


@pytest.mark.parametrize(
    "order",
    [
        lambda front: front.commands.run(submission(WIDE), alias="other"),
        lambda front: front.commands.update("web", submission(WIDE)),
    ],
    ids=["run", "update"],
)
def test_a_rule_that_is_added_while_a_process_is_judged_is_asked_too(
    front: Front, store: Busy, validations: Validations, order: Callable[[Front], object]
) -> None:
    front.commands.run(submission(NARROW), alias="web")
    before = front.store.processes(live=False)
    store.before.append(lambda: validations.add(RULE, actor="ann"))
    with pytest.raises(ViolationError):
        order(front)
    assert front.store.processes(live=False) == before
    assert len(validations.rules()) == 1


def test_two_who_remove_a_rule_at_once_are_told_apart(store: Busy, validations: Validations) -> None:
    validations.add(RULE, actor="ann")
    store.before.append(lambda: validations.remove("narrow", actor="bob"))
    with pytest.raises(NotFoundError):
        validations.remove("narrow", actor="ann")


def test_a_store_that_never_agrees_is_given_up(validations: Validations, store: Busy) -> None:
    class Stubborn(Busy):
        def commit(self, changes: tuple[StoreChange, ...]) -> None:
            raise ConflictError("never")

    store.__class__ = Stubborn
    with pytest.raises(ConflictError):
        validations.add(RULE, actor="ann")


def test_what_is_looked_up_is_known_to_a_check(front: Front, validations: Validations) -> None:
    text = (
        "Parameters: {Block: {Type: 'AWS::SSM::Parameter::Value<String>', Default: /block}}\n"
        "Resources: {Net: {Type: Simulated::Network, Properties: {CidrBlock: !Ref Block}}}"
    )
    validations.add(RULE, actor="ann")
    document = submission(text).document
    assert [one.code for one in validations.check(document, account="default")] == ["T524"]
    front.conductor.looked_up = {"/block": "0.0.0.0/0"}
    assert [one.code for one in validations.check(document, account="default")] == ["T523"]
    with pytest.raises(ViolationError):
        front.commands.run(submission(text), alias="web")
    front.conductor.looked_up = {"/block": "10.0.0.0/8"}
    assert validations.check(document, account="default") == ()
    assert front.commands.run(submission(text), alias="web").lookups == {"Block": "10.0.0.0/8"}
    validations.remove("narrow", actor="ann")
    assert validations.add(RULE, actor="ann")


def test_many_violations_are_told_briefly_and_listed_in_full(front: Front, validations: Validations) -> None:
    validations.add(RULE, actor="ann")
    many = "Resources:\n" + "".join(
        f"  N{number}: {{Type: Simulated::Network, Properties: {{CidrBlock: 0.0.0.0/0}}}}\n" for number in range(30)
    )
    with pytest.raises(ViolationError) as caught:
        front.commands.run(submission(many), alias="web")
    assert str(caught.value).count("A network is not the world.") == 20
    assert "and 10 more" in str(caught.value)
    assert len(caught.value.diagnostics) == 30


def test_a_process_of_another_account_is_judged_by_its_own(front: Front, validations: Validations) -> None:
    for name in ("lab", "prod"):
        account = Account(name=name, settings={"profile": name})
        front.store.commit((SaveAccount(account=account, expected_generation=0),))
    front.commands.run(submission(WIDE), alias="web", account="lab")
    only_prod = {**RULE, "expression": 'composition.account != "prod"'}
    assert validations.add(only_prod, actor="ann")
    with pytest.raises(ViolationError):
        front.commands.run(submission(NARROW), alias="db", account="prod")
    assert front.commands.run(submission(NARROW), alias="db", account="lab").alias == "db"
