"""Every diagnostic that a policy can earn besides those of its YAML (`codes`). docs/guide/users-and-policy.md lists
them; a test compares. A code is never given another meaning.
"""

from tenuto.compositions.diagnostics.codes import Code

NO_POLICY = Code(code="P101", summary="The file is no policy", hint="Begin it with the line `TenutoPolicy: 1`.")
UNKNOWN_VERSION = Code(code="P102", summary="Unknown version of policies", hint="The only version is 1.")
UNKNOWN_KEY = Code(code="P103", summary="Unknown key in a policy", hint="Remove it; notes go into comments.")
WRONG_SHAPE = Code(code="P104", summary="A part of the policy has the wrong shape")
BAD_NAME = Code(
    code="P105",
    summary="A user or a group cannot have this name",
    hint="Use letters, digits and . _ @ + -, beginning with a letter or digit, at most 64.",
)
NAME_TAKEN = Code(code="P106", summary="A name is given twice", hint="Rename or remove one of them.")
UNKNOWN_USER = Code(code="P107", summary="Unknown user or group", hint="Add the name to Users, or to Groups.")
UNKNOWN_COMMAND = Code(code="P108", summary="Unknown command")
NO_ACCOUNTS = Code(
    code="P109", summary="A grant does not say in which accounts", hint='Add Accounts; `Accounts: ["*"]` means all.'
)
NEEDLESS_PLACE = Code(
    code="P110", summary="A grant of the Conductor's own commands has no accounts", hint="Remove Accounts and Aliases."
)
BAD_PATTERN = Code(
    code="P111",
    summary="A pattern is not allowed",
    hint="Use letters, digits and . _ -, with * for any text and ? for any letter.",
)
OPEN_IDENTITY = Code(
    code="P112",
    summary="An identity lets in everybody of an issuer",
    hint="Add Claims, such as `repository: org/name`, or let a claim name the user: `User: '{email}'`.",
)

ACCESS_CODES = tuple(value for value in list(globals().values()) if isinstance(value, Code))
"""The whole table, in the order above."""
