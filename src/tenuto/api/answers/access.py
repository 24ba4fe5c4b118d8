"""The shapes of rights: callers, the policy, users, tokens, sign-in, and settings of a running Conductor."""

from tenuto.api.answers.words import flag, listed, maybe, moment, record, text, texts
from tenuto.model.access import Right

_USER = text("the user")
GRANT = record(
    "Grant",
    "What some users may do.",
    {
        "users": texts("the users"),
        "commands": texts("the commands that they may give", Right),
        "accounts": texts("the accounts in which they may, by names or patterns"),
        "aliases": maybe(texts("the processes at which they may, by patterns of aliases; null for all")),
    },
)
ME = record(
    "Caller",
    "The caller, and what they may do.",
    {"name": _USER, "root": flag("whether they are the owner"), "grants": listed(GRANT, "their grants")},
)

_POLICY = record(
    "PolicyText",
    "A policy.",
    {
        "text": text("its text"),
        "file": text("the name of its file"),
        "set_at": moment("when it was set"),
        "set_by": text("the user who set it"),
        "users": texts("the users that it names"),
        "grants": listed(GRANT, "its grants"),
    },
)
POLICY = record("Policy", "The policy.", {"policy": maybe(_POLICY, "the policy; null without one")})
SET_POLICY = POLICY.with_(
    "SetPolicy", "A policy that was set or removed.", {"revoked": texts("the users whose secrets ended by it")}
)
USERS = record(
    "Users",
    "The users that the policy names.",
    {
        "users": listed(
            record(
                "User",
                "One user.",
                {
                    "name": _USER,
                    "enabled": flag("whether they have a secret"),
                    "secret_created": maybe(moment("when their secret was made")),
                    "secret_created_by": maybe(text("the user who made it")),
                },
            ),
            "these",
        )
    },
)
NEW_SECRET = record(
    "NewSecret",
    "A secret that was just made.",
    {"user": _USER, "secret": text("the secret, which is told this once")},
)
REVOKED_SECRET = record(
    "RevokedSecret", "The end of a secret.", {"user": _USER, "revoked": flag("false when there was none")}
)
TOKEN = record(
    "Token",
    "A token of a user, without its secret.",
    {
        "user": _USER,
        "name": text("its name"),
        "created": moment("when it was made"),
        "created_by": text("the user who made it"),
        "expires": maybe(moment("when it ends")),
        "expired": flag("whether it has ended"),
        "used": maybe(moment("when it was last used; null for never")),
        "commands": maybe(texts("the commands that it may give; null for all of its user", Right)),
        "accounts": maybe(texts("the accounts in which it may; null for all of its user")),
    },
)
TOKENS = record("Tokens", "The tokens of a user.", {"tokens": listed(TOKEN, "these")})
NEW_TOKEN = TOKEN.with_(
    "NewToken", "A token that was just made.", {"secret": text("its secret, which is told this once")}
)
REVOKED_TOKEN = record("RevokedToken", "The end of a token.", {"user": _USER, "name": text("its name")})

RUNTIME = record(
    "RuntimeSettings",
    "Settings that change while the Conductor runs.",
    {
        "settings": listed(
            record(
                "RuntimeSetting",
                "One setting.",
                {
                    "key": text("its name"),
                    "value": text("its value now"),
                    "default": text("its value when it is not set"),
                    "set_at": maybe(moment("when it was set; null when it is not")),
                    "set_by": maybe(text("the user who set it")),
                    "summary": text("what it is, with its unit"),
                },
            ),
            "these",
        )
    },
)

SIGN_IN = record(
    "SignIn",
    "Where people sign in, and whose tokens are taken.",
    {
        "people": maybe(
            record(
                "PeopleSignIn",
                "The issuer at which people sign in.",
                {
                    "issuer": text("its URL"),
                    "client": text("the client id of Tenuto there"),
                    "authorization_endpoint": text("the URL at which a browser signs in"),
                    "token_endpoint": text("the URL at which a code becomes a token"),
                },
            ),
            "the issuer at which people sign in; null without one",
        ),
        "issuers": texts("the URLs of the issuers whose tokens are taken"),
    },
)
