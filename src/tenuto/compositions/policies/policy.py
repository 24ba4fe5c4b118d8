"""Policies: the YAML text that gives users their rights, compiled to `model.access.Policy` or to all its problems.

A policy is data like a template: read by the same reader, with the same limits, and every problem shown at its place.
It is compiled by the client that checks it and by the Conductor that keeps it. `GRAMMAR` is all there is.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from tenuto.compositions.cloudformation.reading import shape
from tenuto.compositions.cloudformation.reading.reader import read
from tenuto.compositions.diagnostics import codes
from tenuto.compositions.diagnostics.nodes import Broken, Fields, Items, Node, Scalar, describe
from tenuto.compositions.diagnostics.problems import Problems, listed
from tenuto.compositions.policies import policy_codes as access_codes
from tenuto.compositions.policies.approvals import approval_rules
from tenuto.compositions.policies.identities import identity_rules
from tenuto.errors import CompileError
from tenuto.kit.nearest import did_you_mean
from tenuto.model.access import OF_CONDUCTOR, QUESTIONS, ROOT, Grant, Policy, Right
from tenuto.model.diagnostic import Diagnostic

GRAMMAR = """\
TenutoPolicy: 1
Users: [NAME, …]
Groups: {NAME: [USER, …], …}
Grants:
  - To: [USER or GROUP, …]
    Commands: [COMMAND, questions, all, …]
    Accounts: [PATTERN, …]
    Aliases: [PATTERN, …]
Approvals:
  - Accounts: [PATTERN, …]
    Commands: [update, resume, kill, release]
    When: destructive | always
    By: [USER or GROUP, …]
    Count: NUMBER
Identities:
  - Issuer: URL
    Audience: TEXT
    Claims: {CLAIM: [VALUE, …], …}
    User: USER | "{CLAIM}"
    Commands: [COMMAND, …]
    Accounts: [NAME, …]
    Minutes: NUMBER
"""
MARK = "TenutoPolicy"
"""The key that makes a file a policy; no section of a composition has its name."""
LARGEST_BYTES = 262_144
"""Thousands of users and grants; it is read again whenever it changes, so it shall not be megabytes."""

_VERSION = "1"
_KEYS = (MARK, "Users", "Groups", "Grants", "Approvals", "Identities")
_GRANT_KEYS = ("To", "Commands", "Accounts", "Aliases")
_SETS = {"questions": QUESTIONS, "all": tuple(right for right in Right if right not in OF_CONDUCTOR)}
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@+-]{0,63}")
_PATTERN = re.compile(r"[A-Za-z0-9._*?-]{1,128}")
_RESERVED = frozenset({ROOT, "conductor", "user"})
"""Names under which the Conductor itself and its owner appear in the history."""


def is_policy(root: Fields) -> bool:
    """Whether a document is meant as a policy, also one with errors."""
    return root.entry(MARK) is not None


def compile_policy(text: str, *, file: str) -> Policy:
    """The policy. Raises CompileError with every diagnostic."""
    text = text.removeprefix("\ufeff")
    problems = Problems(file, text)
    policy = _policy(text, problems)
    found = tuple(map(_reworded, problems.diagnostics()))
    if policy is None or problems.has_errors:
        count = len(found)
        raise CompileError(f"The policy {file} has {count} error{'' if count == 1 else 's'}.", found)
    return policy


def _policy(text: str, problems: Problems) -> Policy | None:
    size = len(text.encode(errors="replace"))
    if size > LARGEST_BYTES:
        problems.add(codes.FILE_TOO_LARGE, None, f"The policy has {size:,} bytes; {LARGEST_BYTES:,} are allowed.")
        return None
    root = read(text, problems)
    if root is None:
        return None
    version = root.entry(MARK)
    if version is None:
        problems.add(access_codes.NO_POLICY, root, f"It has no {MARK}.")
        return None
    if not isinstance(version.value, Scalar) or version.value.text != _VERSION:
        problems.add(access_codes.UNKNOWN_VERSION, version.value, f"{MARK} is not {_VERSION}.")
    root = shape.known_fields(root, _KEYS, problems, access_codes.UNKNOWN_KEY, "A policy")
    users = _users(root.get("Users"), problems)
    names = _groups(root.get("Groups"), users, problems) | {user: frozenset({user}) for user in users}
    approvals = approval_rules(root.get("Approvals"), names, problems, _texts)
    identities = identity_rules(root.get("Identities"), users, problems, _texts, _rights)
    grants = root.get("Grants")
    if grants is None:
        return Policy(users=users, approvals=approvals, identities=identities)
    if not isinstance(grants, Items):
        _wrong_shape(grants, problems, "Grants must be a list")
        return None
    made = [_grant(item, names, problems) for item in grants.items]
    given = tuple(grant for grant in made if grant is not None)
    return Policy(users=users, grants=given, approvals=approvals, identities=identities)


def _reworded(diagnostic: Diagnostic) -> Diagnostic:
    """Reword the reader's diagnostic of a file that is no mapping: it speaks of compositions."""
    if diagnostic.code not in (codes.FILE_EMPTY.code, codes.NOT_A_MAPPING.code):
        return diagnostic
    code = access_codes.NO_POLICY
    return replace(diagnostic, code=code.code, summary=code.summary, hint=code.hint)


def _users(node: Node | None, problems: Problems) -> tuple[str, ...]:
    """The users in the order of the file, each once."""
    known: dict[str, None] = {}
    for one in _texts(node, problems, "Users"):
        if not _is_name(one, problems):
            continue
        if one.text in known:
            problems.add(access_codes.NAME_TAKEN, one, f"{one.text} is in Users already.", subject=one.text)
        known[one.text] = None
    return tuple(known)


def _groups(node: Node | None, users: Sequence[str], problems: Problems) -> dict[str, frozenset[str]]:
    """The members of each group. Groups hold users only: a circle of groups cannot be written."""
    if node is None:
        return {}
    found = shape.fields(node, problems, "Groups", access_codes.WRONG_SHAPE)
    groups: dict[str, frozenset[str]] = {}
    for entry in found.entries if found else ():
        if not _is_name(entry.key, problems):
            continue
        if entry.name in users:
            problems.add(access_codes.NAME_TAKEN, entry.key, f"{entry.name} is a user.", subject=entry.name)
        members = _texts(entry.value, problems, f"The group {entry.name}")
        groups[entry.name] = frozenset(one.text for one in members if _is_known(one, users, problems))
    return groups


def _grant(node: Node, names: dict[str, frozenset[str]], problems: Problems) -> Grant | None:
    fields = shape.fields(node, problems, "A grant", access_codes.WRONG_SHAPE)
    if fields is None:
        return None
    fields = shape.known_fields(fields, _GRANT_KEYS, problems, access_codes.UNKNOWN_KEY, "A grant")
    for key in ("To", "Commands"):
        if fields.get(key) is None:
            problems.add(access_codes.WRONG_SHAPE, fields, f"A grant needs {key}.", subject=key)
    to = _texts(fields.get("To"), problems, "To")
    users = frozenset(user for one in to if _is_known(one, names, problems) for user in names[one.text])
    rights = _rights(_texts(fields.get("Commands"), problems, "Commands"), problems)
    accounts = _patterns(fields.get("Accounts"), problems, "Accounts")
    aliases = _patterns(fields.get("Aliases"), problems, "Aliases")
    _check_place(fields, rights, problems)
    return Grant(users=users, rights=rights, accounts=accounts or (), aliases=aliases)


def _check_place(fields: Fields, rights: frozenset[Right], problems: Problems) -> None:
    """Commands about processes belong to accounts; the Conductor's own do not."""
    of_processes = [right for right in Right if right in rights and right not in OF_CONDUCTOR]
    if of_processes and fields.get("Accounts") is None:
        problems.add(
            access_codes.NO_ACCOUNTS,
            fields,
            f"{listed(of_processes)} can be granted only in accounts.",
            subject="Accounts",
        )
    if not rights or of_processes:
        return
    for key in ("Accounts", "Aliases"):
        entry = fields.entry(key)
        if entry is not None:
            problems.add(
                access_codes.NEEDLESS_PLACE,
                entry.key,
                f"{listed(rights)} are about no account's processes.",
                subject=key,
            )


def _rights(given: Iterable[Scalar], problems: Problems) -> frozenset[Right]:
    rights: set[Right] = set()
    known = [*_SETS, *Right]
    for one in given:
        if one.text in _SETS:
            rights.update(_SETS[one.text])
        elif one.text in set(Right):
            rights.add(Right(one.text))
        else:
            detail = f"{one.text!r} cannot be granted. There are {', '.join(known)}."
            hint = did_you_mean(one.text, known)
            problems.add(access_codes.UNKNOWN_COMMAND, one, detail, hint=hint, subject=one.text)
    return frozenset(rights)


def _patterns(node: Node | None, problems: Problems, what: str) -> tuple[str, ...] | None:
    if node is None:
        return None
    given = _texts(node, problems, what)
    for one in given:
        if _PATTERN.fullmatch(one.text) is None:
            problems.add(access_codes.BAD_PATTERN, one, f"{one.text!r} is no pattern of a name.", subject=one.text)
    return tuple(one.text for one in given)


def _texts(node: Node | None, problems: Problems, what: str) -> tuple[Scalar, ...]:
    """A list of texts, or a single one; empty, reported, when it is something else. Nothing at all is not a list."""
    if node is None:
        return ()
    members = node.items if isinstance(node, Items) else (node,)
    if isinstance(node, Fields) or not all(isinstance(one, Scalar) and one.value is not None for one in members):
        _wrong_shape(node, problems, f"{what} must be a list of names")
        return ()
    return tuple(one for one in members if isinstance(one, Scalar))


def _wrong_shape(node: Node, problems: Problems, what: str) -> None:
    if not isinstance(node, Broken):
        problems.add(access_codes.WRONG_SHAPE, node, f"{what}, and is {describe(node)}.")


def _is_name(one: Scalar, problems: Problems) -> bool:
    if _NAME.fullmatch(one.text) is None:
        problems.add(access_codes.BAD_NAME, one, f"{one.text!r} is no name.", subject=one.text)
        return False
    if one.text.lower() in _RESERVED:
        detail = f"{one.text} is the name of the Conductor's owner or of a part of it; it needs no grant."
        problems.add(access_codes.BAD_NAME, one, detail, hint="Use another name.", subject=one.text)
        return False
    return True


def _is_known(one: Scalar, names: Iterable[str], problems: Problems) -> bool:
    known = list(names)
    if one.text in known:
        return True
    hint = did_you_mean(one.text, known)
    problems.add(access_codes.UNKNOWN_USER, one, f"There is no {one.text} in the policy.", hint=hint, subject=one.text)
    return False
