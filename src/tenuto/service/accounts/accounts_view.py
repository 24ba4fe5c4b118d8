"""Accounts as people and programs see them."""

from tenuto.core.access.accounts import way_text
from tenuto.model.account import Account
from tenuto.model.delta import Unknown
from tenuto.model.ids import JsonMap
from tenuto.service.accounts.accounts import AccountView
from tenuto.service.common.values import time_text


def accounts_document(views: tuple[AccountView, ...]) -> JsonMap:
    return {"accounts": [account_document(view) for view in views]}


def account_document(view: AccountView) -> JsonMap:
    """The document of an account. It names the identity of the credentials only when they were just checked.

    `confirmed` is when the provider last said that they lead to this account, and `problem` why nothing is
    done in it now.
    """
    known = view.credentials
    found = {} if view.identity is None else {"arn": view.identity.arn}
    standing = {"confirmed": time_text(known.confirmed_at), "problem": known.problem or None}
    return {**_account(view.account), "processes": view.processes, **standing, **found}


def removed_document(account: Account) -> JsonMap:
    return _account(account)


def _account(account: Account) -> JsonMap:
    return {
        "name": account.name,
        "provider": account.provider or None,
        "account_id": account.account_id,
        "access": way_text(account),
        "settings": {**account.settings, **dict.fromkeys(account.secrets, Unknown.SECRET.value)},
        "source": account.source,
        "region": account.region,
        "created": time_text(account.created_at),
    }
