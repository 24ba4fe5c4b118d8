"""The shapes of objects that requests make: objects, their types, images, uploads, and namespaces."""

from tenuto.api.answers.processes import ACCOUNT, ALIAS, MESSAGE, REGION
from tenuto.api.answers.words import (
    NEXT_PAGE,
    anything,
    by_name,
    flag,
    free,
    listed,
    maybe,
    moment,
    number,
    record,
    text,
    texts,
    whole,
)
from tenuto.model.access import Right
from tenuto.model.image import ArtifactKind
from tenuto.model.object_type import FieldKind, Scope
from tenuto.model.phase_map import PhaseStatus

_ID = text("the id of the object")
_TYPE = text("the object type")

OBJECT_ROW = record(
    "ObjectRow",
    "An object in a list.",
    {
        "id": _ID,
        "type": _TYPE,
        "name": text("its name, unique in its namespace; empty where its type has no names"),
        "provider": maybe(text("the provider; null for an object of the Conductor itself")),
        "account": ACCOUNT,
        "region": REGION,
        "state": text("its state in the lifecycle of its type"),
        "target": text("the state that it goes to"),
        "settled": flag("whether it is in its target and nothing is open"),
        "failed": flag("whether a person must act"),
        "live": flag("whether it is not gone"),
        "message": MESSAGE,
        "created": moment("when it was made"),
        "moved": moment("when its state last changed"),
        "leaving": flag("whether it is being deleted"),
        "fields": free("the fields that it was made with, by name"),
        "attributes": free("what is told of it, by name"),
    },
)
OBJECT = OBJECT_ROW.with_(
    "Object",
    "An object in detail.",
    {
        "lifecycle": text("the lifecycle of its type"),
        "tags": free("its tags by name"),
        "claims": listed(
            record(
                "Claim",
                "A value that no other object may have.",
                {
                    "space": text("where it is unique"),
                    "key": text("the value"),
                    "free_at": maybe(moment("when another may have it; null while it is held")),
                },
            ),
            "the values that it holds alone",
        ),
        "needs": listed(
            record(
                "Need",
                "An object that this one needs.",
                {
                    "role": text("for what"),
                    "id": text("the id of the other"),
                    "type": maybe(text("its type; null when it is gone")),
                    "name": maybe(text("its name; null when it is gone")),
                },
            ),
            "the objects that it needs",
        ),
        "needed_by": listed(
            record(
                "ObjectUser", "An object that needs this one.", {"id": _ID, "type": _TYPE, "name": text("its name")}
            ),
            "the objects that need it, as far as the caller may see them",
        ),
        "phases": by_name(
            record(
                "ObjectPhase",
                "What a phase does with the object.",
                {
                    "state": text("the state in which it runs"),
                    "status": text("its status", PhaseStatus),
                    "message": MESSAGE,
                    "wakes": maybe(moment("when it runs again")),
                },
            ),
            "its phases by their names",
        ),
    },
)
VERIFIED_OBJECT = OBJECT.with_(
    "VerifiedObject",
    "An object whose file was read.",
    {"damage": maybe(text("what is wrong with it; null for nothing"))},
)
OBJECT_PAGE = record(
    "Objects",
    "A page of objects.",
    {"objects": listed(OBJECT_ROW, "one page"), "next": NEXT_PAGE},
)

OBJECT_TYPES = record(
    "ObjectTypes",
    "The types of objects that requests make.",
    {
        "types": listed(
            record(
                "ObjectType",
                "One type.",
                {
                    "name": text("its name"),
                    "provider": maybe(text("the provider; null for the Conductor's own")),
                    "lifecycle": text("its lifecycle"),
                    "summary": text("what it is"),
                    "named": flag("whether its objects have names"),
                    "unique_in": text("where a name is unique", Scope),
                    "reserved_s": number("seconds for which a name stays taken after its object is gone"),
                    "right": text("the right that a command to it takes", Right),
                    "fields": listed(
                        record(
                            "ObjectField",
                            "One field that is given when an object is made.",
                            {
                                "name": text("its name"),
                                "kind": text("its kind", FieldKind),
                                "summary": text("what it is"),
                                "required": flag("whether it must be given"),
                                "default": anything("its value when it is not given"),
                                "unique": flag("whether no two objects may have one value"),
                                "of": texts("the types of the object that it names"),
                                "choices": texts("the values that it may have; empty for all of its kind"),
                            },
                        ),
                        "its fields",
                    ),
                },
            ),
            "these",
        )
    },
)

DECLARED_OBJECTS = record(
    "DeclaredObjects",
    "Objects that compositions declare.",
    {
        "objects": listed(
            record(
                "DeclaredObject",
                "One of them.",
                {
                    "id": _ID,
                    "name": text("the process and the resource, as commands take them"),
                    "process": text("the process, by its id"),
                    "alias": ALIAS,
                    "resource": text("the name of the resource in the composition"),
                    "type": _TYPE,
                    "account": ACCOUNT,
                    "region": REGION,
                    "state": text("its state in the lifecycle of its type"),
                    "target": text("the state that it goes to"),
                    "settled": flag("whether it is in its target and nothing is open"),
                    "failed": flag("whether a person must act"),
                    "message": MESSAGE,
                    "host": maybe(text("the host that it is on")),
                    "driver": maybe(text("the driver of that host")),
                    "addresses": texts("its addresses"),
                    "created": moment("when it was made"),
                    "moved": moment("when its state last changed"),
                    "attributes": free("what is told of it, by name"),
                    "needed_by": texts("the objects that need it; where `needs` was asked for"),
                },
                optional=("needed_by",),
            ),
            "these",
        )
    },
)

UPLOAD = record(
    "Upload",
    "An upload.",
    {
        "id": text("its id"),
        "account": ACCOUNT,
        "state": text("its state"),
        "name": text("the name that the artifact gets"),
        "kind": text("what it is", ArtifactKind),
        "size": whole("its size, in bytes"),
        "sha512": maybe(text("the digest that it must have, in hexadecimal; null when none was given")),
        "offset": whole("the bytes that have come"),
        "artifact": maybe(OBJECT_ROW, "the artifact that it has become; null while bytes come"),
        "version": maybe(whole("the version of it; null while bytes come")),
    },
)
VERSIONS = record(
    "Versions",
    "The versions of an artifact.",
    {
        "versions": listed(
            record(
                "Version",
                "One version.",
                {
                    "version": whole("its number, from 1"),
                    "blob": text("the object that holds the file"),
                    "sha512": text("the digest of the file, in hexadecimal"),
                    "size": whole("the size of the file, in bytes"),
                    "virtual_size": whole("the size of the disk in it, in bytes"),
                    "format": text("the format of the file"),
                    "created": text("when it was made, in ISO 8601"),
                },
            ),
            "the oldest first",
        )
    },
)

_NAMESPACE = text("the namespace")
TRUST = record(
    "Trust",
    "The namespaces whose shared artifacts this one takes.",
    {"namespace": _NAMESPACE, "trusted": texts("their names")},
)
LIMITS = record(
    "NamespaceLimits",
    "How much there may be in a namespace.",
    {
        "namespace": _NAMESPACE,
        "limits": listed(
            record(
                "NamespaceLimit",
                "The limit of one thing.",
                {
                    "thing": text("what is limited"),
                    "summary": text("what that is, with its unit"),
                    "used": whole("how much there is"),
                    "most": maybe(whole("how much there may be; null without a limit")),
                },
            ),
            "of everything that can be limited",
        ),
    },
)
KEY = record(
    "NamespaceKey",
    "A key of a namespace, without its secret.",
    {
        "namespace": _NAMESPACE,
        "name": text("its name"),
        "commands": texts("the commands that it may give", Right),
        "created": moment("when it was made"),
        "created_by": text("the user who made it"),
        "expires": maybe(moment("when it ends; null for never")),
        "expired": flag("whether it has ended"),
    },
)
KEYS = record("NamespaceKeys", "The keys of a namespace.", {"keys": listed(KEY, "these")})
NEW_KEY = KEY.with_(
    "NewNamespaceKey", "A key that was just made.", {"secret": text("its secret, which is told this once")}
)
