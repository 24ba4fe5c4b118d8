"""Accounts by the service: added, looked at, changed, removed."""

import pytest
from front import Front, submission

from tenuto.errors import ConflictError, NotAllowedError, NotFoundError, PermanentError, TransientError, UserError
from tenuto.model.ids import JsonMap
from tenuto.service.accounts.accounts_view import account_document, accounts_document

ONE, OTHER = "111111111111", "222222222222"
ARN = f"arn:aws:iam::{OTHER}:role/tenuto"


@pytest.fixture
def front() -> Front:
    made = Front()
    made.conductor.identities.update({"default": ONE, "prod": OTHER})
    return made


def test_an_account_is_observed_before_it_is_stored(front: Front) -> None:
    added = account_document(front.commands.accounts.add("prod", {"role_arn": ARN}, region="eu-west-1"))
    assert (added["account_id"], added["provider"], added["source"]) == (OTHER, "aws", "default")
    assert added["settings"] == {"role_arn": ARN}
    assert (added["region"], added["processes"]) == ("eu-west-1", 0)
    assert added["arn"] == f"arn:aws:sts::{OTHER}:assumed-role/tenuto/tenuto"
    shown = account_document(front.commands.accounts.show("prod"))
    assert shown == {name: value for name, value in added.items() if name != "arn"}


def test_what_cannot_be_entered_is_not_stored(front: Front) -> None:
    front.conductor.failure = PermanentError("no such profile")
    with pytest.raises(PermanentError):
        front.commands.accounts.add("prod", {"profile": "missing"})
    assert front.store.accounts() == ()


def test_a_role_that_leads_elsewhere_than_its_arn_says_is_not_stored(front: Front) -> None:
    front.conductor.identities["prod"] = "333333333333"
    with pytest.raises(PermanentError, match="333333333333"):
        front.commands.accounts.add("prod", {"role_arn": ARN})
    assert front.store.accounts() == ()


def test_an_account_can_be_stored_unseen_and_observed_later(front: Front) -> None:
    front.conductor.failure = TransientError("no network")
    added = front.commands.accounts.add("prod", {"profile": "p"}, checks=False)
    assert added.account.account_id is None
    with pytest.raises(TransientError):
        front.commands.accounts.check("prod")
    front.conductor.failure = None
    assert front.commands.accounts.check("prod").account.account_id == OTHER
    front.conductor.identities["prod"] = "333333333333"
    with pytest.raises(PermanentError, match="333333333333"):
        front.commands.accounts.check("prod")


def test_the_external_id_is_sealed_in_the_store_and_masked_in_what_is_shown(front: Front) -> None:
    view = front.commands.accounts.add("prod", {"role_arn": ARN, "external_id": "open-sesame"})
    assert "open-sesame" not in repr(front.store.accounts())
    assert account_document(view)["settings"] == {"role_arn": ARN, "external_id": "****"}
    told = [event.reason for event in front.queries.events(types=("account.changed",))]
    assert told == [f"added: the role {ARN}, assumed from default, with an external id"]


@pytest.mark.parametrize(
    "way",
    [
        {"profile": "p", "role_arn": ARN},
        {"profile": "p", "external_id": "x-1"},
        {"source": "default"},
        {"role_arn": ARN, "source": "nobody"},
        {"role_arn": ARN, "external_id": "two words"},
    ],
)
def test_a_way_that_makes_no_sense_is_refused(front: Front, way: JsonMap) -> None:
    with pytest.raises(UserError):
        front.commands.accounts.add("prod", way)
    assert front.store.accounts() == ()


def test_a_name_is_given_once(front: Front) -> None:
    front.commands.accounts.add("prod", {"profile": "p"})
    with pytest.raises(NotAllowedError, match=r"the profile p.*tenuto account update prod"):
        front.commands.accounts.add("prod", {"profile": "q"})
    front.conductor.identities["duplicate"] = OTHER
    with pytest.raises(PermanentError, match="which is prod already"):
        front.commands.accounts.add("duplicate", {"profile": "q"})


def test_the_way_into_an_account_can_be_changed_while_processes_live_there(front: Front) -> None:
    front.commands.accounts.add("prod", {"role_arn": ARN, "external_id": "x-1"}, region="eu-west-1")
    front.commands.run(submission(), alias="web", account="prod")
    sealed = front.store.account("prod")
    moved = front.commands.accounts.update("prod", {"role_arn": f"{ARN}-2"}).account
    assert sealed is not None
    assert (moved.settings, moved.secrets) == ({"role_arn": f"{ARN}-2"}, sealed.secrets)
    assert sealed.secrets.keys() == {"external_id"}
    assert (moved.account_id, moved.region) == (OTHER, "eu-west-1")
    open_ = front.commands.accounts.update("prod", {"external_id": ""}).account
    assert (open_.settings, open_.secrets) == ({"role_arn": f"{ARN}-2"}, {})
    entered = front.commands.accounts.update(OTHER, {"profile": "p"}).account
    assert (entered.settings, entered.source, entered.claimed_id) == ({"profile": "p"}, None, None)


def test_a_changed_way_must_lead_to_the_same_account(front: Front) -> None:
    front.commands.accounts.add("prod", {"profile": "p"})
    before = front.store.accounts()
    front.conductor.identities["prod"] = "333333333333"
    with pytest.raises(PermanentError, match="333333333333"):
        front.commands.accounts.update("prod", {"profile": "q"})
    assert front.store.accounts() == before


def test_the_way_into_the_default_account_is_not_ours_to_change(front: Front) -> None:
    for refused in (front.commands.accounts.add, front.commands.accounts.update):
        with pytest.raises(UserError, match="settings"):
            refused("default", {"profile": "p"})


def test_an_account_in_which_processes_live_cannot_be_removed(front: Front) -> None:
    front.commands.accounts.add("prod", {"profile": "p"})
    front.commands.run(submission(), alias="web", account="prod")
    with pytest.raises(NotAllowedError, match="web"):
        front.commands.accounts.remove("prod")


def test_an_account_from_which_another_is_entered_cannot_be_removed(front: Front) -> None:
    front.conductor.identities["hub"] = ONE
    front.commands.accounts.add("hub", {"profile": "p"})
    view = front.commands.accounts.add("prod", {"role_arn": ARN, "source": ONE})
    assert account_document(view)["source"] == "hub"
    with pytest.raises(NotAllowedError, match="source of prod"):
        front.commands.accounts.remove("hub")
    front.commands.accounts.remove("prod")
    front.commands.accounts.remove("hub")
    assert front.store.accounts() == ()


def test_what_the_default_account_was_found_to_be_can_be_forgotten(front: Front) -> None:
    with pytest.raises(NotFoundError, match="never used"):
        front.commands.accounts.remove("default")
    front.commands.accounts.check("default")
    assert [one["account_id"] for one in accounts_document(front.commands.accounts.all())["accounts"]] == [ONE]
    front.commands.accounts.remove("default")
    assert front.commands.accounts.show("default").account.account_id is None


def test_an_account_that_somebody_else_changed_meanwhile_is_not_overwritten(front: Front) -> None:
    front.commands.accounts.add("prod", {"profile": "p"})
    identify = front.conductor.identify

    def slowly(account):  # type: ignore[no-untyped-def]
        front.conductor.identify = identify  # type: ignore[method-assign]
        front.commands.accounts.update("prod", {"profile": "q"})
        return identify(account)

    front.conductor.identify = slowly  # type: ignore[method-assign]
    with pytest.raises(ConflictError, match="Another user"):
        front.commands.accounts.update("prod", {"profile": "r"})
    stored = front.store.account("prod")
    assert stored is not None
    assert stored.settings == {"profile": "q"}


def test_behaviour_74_a_process_is_bound_to_the_account_it_was_run_in(front: Front) -> None:
    front.commands.accounts.add("prod", {"profile": "p"})
    front.commands.run(submission(), alias="web", account=OTHER)
    front.commands.run(submission(), alias="own")
    assert front.commands.update("web", submission(name="other")).partition.account == "prod"
    assert front.commands.apply(submission(), alias="web").partition.account == "prod"
    assert front.commands.apply(submission(), alias="web", account="prod").partition.account == "prod"
    with pytest.raises(UserError, match="belongs to the account prod"):
        front.commands.apply(submission(), alias="web", account="default")
    assert [one.alias for one in front.queries.processes(account="prod")] == ["web"]
    assert [one.alias for one in front.queries.processes(account="default")] == ["own"]


def test_nothing_is_run_planned_or_observed_in_an_unknown_account(front: Front) -> None:
    attempts = (
        lambda: front.commands.run(submission(), account="nowhere"),
        lambda: front.commands.apply(submission(), alias="web", account="nowhere"),
        lambda: front.commands.dry_runs.run(submission(), alias=None, account="nowhere"),
        lambda: front.queries.existing(["Simulated::Network net-1"], region="here", account="nowhere"),
        lambda: front.queries.processes(account="nowhere"),
    )
    for attempt in attempts:
        with pytest.raises(NotFoundError, match="There are: default"):
            attempt()
    assert front.queries.processes() == ()


def test_settings_that_no_account_can_have_are_refused_without_their_values(front: Front) -> None:
    for settings in ({"Role Arn": "hush"}, {"profile": ["hush"]}, {"profile": "hush" * 5000}):
        with pytest.raises(UserError) as refused:
            front.commands.accounts.add("prod", settings)
        assert "hush" not in str(refused.value)
    assert front.store.accounts() == ()


def test_an_account_belongs_to_the_provider_that_was_named(front: Front) -> None:
    front.conductor.identities["rack"] = "rack-7"
    added = front.commands.accounts.add("rack", {}, provider="simulated")
    assert (added.account.provider, added.account.account_id) == ("simulated", "rack-7")
    with pytest.raises(UserError, match="Accounts of the provider simulated have no settings: leave out profile"):
        front.commands.accounts.update("rack", {"profile": "p"})
    with pytest.raises(NotFoundError, match=r"without a provider 'toy'.* It has: aws, simulated"):
        front.commands.accounts.add("other", {}, provider="toy")
    with pytest.raises(
        UserError, match=r"AWS knows no setting rol_arn .* Did you mean role_arn\? It knows external_id"
    ):
        front.commands.accounts.add("other", {"rol_arn": ARN})
