"""The kinds of records, one value each."""

from dataclasses import replace
from typing import Any

from tenuto.lifecycles.proposal import LIVING
from tenuto.model.access import PolicyText, RuntimeSetting, UserSecret
from tenuto.model.account import Account
from tenuto.model.enrolled_host import EnrolledHost
from tenuto.model.notification import Sink
from tenuto.model.proposal import Proposal
from tenuto.model.rule import StoredRule
from tenuto.model.stored_table import StoredTable
from tenuto.model.web_session import WebSession
from tenuto.ports.records import RecordKind

THE_POLICY = "policy"
"""The key of the policy: there is one at most."""

POLICY = RecordKind(name="policy", type=PolicyText, key=lambda _: THE_POLICY)
USER_SECRET = RecordKind(
    name="user-secret",
    type=UserSecret,
    key=lambda secret: secret.user,
    claim=lambda secret: secret.key,
    claimed="key",
    numbered=lambda secret, generation: replace(secret, generation=generation),
)
RUNTIME_SETTING = RecordKind(name="runtime-setting", type=RuntimeSetting, key=lambda setting: setting.key)
RULE = RecordKind(name="rule", type=StoredRule, key=lambda stored: stored.rule.name, is_guarded=True)
ACCOUNT = RecordKind(
    name="account",
    type=Account,
    key=lambda account: account.name,
    claim=lambda account: account.account_id,
    claimed="account id",
    numbered=lambda account, generation: replace(account, generation=generation),
    is_guarded=True,
)
SINK = RecordKind(name="sink", type=Sink, key=lambda sink: sink.name, is_guarded=True)
LIFECYCLE = RecordKind(name="lifecycle", type=StoredTable, key=lambda table: table.name)
HOST = RecordKind(
    name="host",
    type=EnrolledHost,
    key=lambda host: host.key,
    numbered=lambda host, generation: replace(host, generation=generation),
)
WEB_SESSION = RecordKind(
    name="web-session",
    type=WebSession,
    key=lambda session: session.digest,
    numbered=lambda session, generation: replace(session, generation=generation),
)
PROPOSAL = RecordKind(
    name="proposal",
    type=Proposal,
    key=lambda proposal: f"{proposal.number:08d}",
    # Only a living proposal has a claim, so it is found without reading the plans of all that are over.
    claim=lambda proposal: f"{proposal.number:08d}" if proposal.state in LIVING else None,
    claimed="number",
    numbered=lambda proposal, generation: replace(proposal, generation=generation),
)

RECORD_KINDS: tuple[RecordKind[Any], ...] = (
    POLICY,
    USER_SECRET,
    RUNTIME_SETTING,
    RULE,
    ACCOUNT,
    SINK,
    LIFECYCLE,
    HOST,
    WEB_SESSION,
    PROPOSAL,
)
