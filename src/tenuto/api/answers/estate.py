"""The shapes of the surroundings of processes: accounts, hosts, Conductors, types, plugins, notifications."""

from tenuto.api.answers.processes import ACCOUNT
from tenuto.api.answers.words import (
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
from tenuto.model.notification import SinkForm, SinkKind
from tenuto.model.resource import Watch

REMOVED_ACCOUNT = record(
    "RemovedAccount",
    "An account that was removed.",
    {
        "name": text("its name in Tenuto"),
        "provider": maybe(text("its provider; null for `default`, which every provider has")),
        "account_id": maybe(text("its id at the provider")),
        "access": text("how it is reached, in words"),
        "settings": free("the settings of its provider, by name; a secret is `****`"),
        "source": maybe(text("where its credentials come from")),
        "region": maybe(text("the region that is taken when none is named")),
        "created": maybe(moment("when it was added")),
        "profile": maybe(text("the setting of AWS: the profile")),
        "role_arn": maybe(text("the setting of AWS: the role that is assumed")),
        "external_id": maybe(text("the setting of AWS: the external id for that role; a secret is `****`")),
    },
)
ACCOUNT_DETAIL = REMOVED_ACCOUNT.with_(
    "Account",
    "An account in which processes run.",
    {
        "processes": whole("the number of live processes in it"),
        "confirmed": maybe(moment("when the provider last said that the credentials lead to it")),
        "problem": maybe(text("why nothing is done in it now; null when nothing is in the way")),
        "arn": text("who the credentials are; only where they were just checked"),
    },
    optional=("arn",),
)
ACCOUNTS = record("Accounts", "All accounts.", {"accounts": listed(ACCOUNT_DETAIL, "these")})

HOST_ROW = record(
    "HostRow",
    "A host in a list.",
    {
        "zone": text("its zone"),
        "name": text("its name, unique in the zone"),
        "id": maybe(text("the id of its object; null before it joined")),
        "state": text("its state"),
        "why": text("how it is, in a word: lost, in-trouble, silent, cordoned, ready, enrolled, or its state"),
        "since": maybe(moment("since when it is in it")),
        "cordoned": flag("whether it gets nothing new"),
        "driver": maybe(text("how it runs machines")),
        "address": maybe(text("its address")),
        "version": maybe(text("the version of its agent")),
        "accelerator": maybe(text("how its virtual machines run, and why; null without any")),
        "cores": maybe(number("its processors")),
        "memory_mib": maybe(number("its memory, in MiB")),
        "disk_gib": maybe(number("its disk, in GiB")),
        "committed_mib": maybe(number("the memory that is promised to machines, in MiB")),
        "committed_disk_gib": maybe(number("the disk that is promised to machines, in GiB")),
        "machine_count": whole("the number of machines on it"),
        "checked_in": maybe(moment("when it was last heard")),
        "silent_s": maybe(number("seconds since then; null where the clock of the Conductor went back since")),
        "troubles": texts("what is wrong with it, as its agent says"),
        "lost_at": maybe(moment("when it counts as lost, if it stays silent")),
    },
)
HOSTS = record("Hosts", "The hosts of a provider's own.", {"hosts": listed(HOST_ROW, "these")})
HOST = HOST_ROW.with_(
    "Host",
    "A host in detail.",
    {
        "machines": listed(
            record(
                "MachineOnHost",
                "A machine on it.",
                {
                    "id": text("the id of its object"),
                    "account": ACCOUNT,
                    "process": maybe(text("its process, by the id")),
                    "resource": text("its name in the composition"),
                    "state": text("its state"),
                    "replace": text("when it is replaced by itself"),
                },
            ),
            "the machines on it",
        ),
        "lacks": texts("what its agent does not know, because it is of an earlier release"),
        "left_behind": texts("ids of what is left on it of machines that are gone"),
        "isolated": texts("ids of machines on it that are on no network: they failed with it, and wait for a person"),
        "strays": texts("ids of things on it that no object stands for"),
        "events": listed(
            record(
                "HostEvent",
                "A thing that happened to it.",
                {
                    "at": moment("when"),
                    "type": text("what happened"),
                    "before": maybe(text("the state before")),
                    "after": maybe(text("the state after, or the command")),
                    "actor": text("who did it"),
                    "reason": maybe(text("why")),
                },
            ),
            "the newest events",
        ),
    },
)
PURGED_HOST = HOST.with_(
    "PurgedHost", "A host that removes things.", {"purged": texts("the ids of the things that it removes")}
)
DELETED_HOST = HOST_ROW.with_(
    "DeletedHost", "A host that was taken out of its zone.", {"machines": whole("the machines that were on it")}
)
ENROLMENT = record(
    "HostEnrolment",
    "How a host joins.",
    {
        "zone": text("its zone"),
        "name": text("its name in the zone"),
        "url": text("how the host reaches the Conductor"),
        "fingerprint": text("the digest of the Conductor's certificate"),
        "expires_s": whole("seconds for which the token is good"),
        "token": text("the token, which is told this once"),
    },
)

NODES = record(
    "Nodes",
    "The Conductors that ever checked in on this store, the oldest first.",
    {
        "nodes": listed(
            record(
                "Node",
                "One Conductor.",
                {
                    "name": text("its name"),
                    "state": text("its state"),
                    "leads": flag("whether it does the work"),
                    "epoch": maybe(whole("the number of its lease; null when it does not lead")),
                    "since": maybe(moment("since when it is in its state")),
                    "checked_in": maybe(moment("when it was last there")),
                    "version": maybe(text("its version")),
                    "clock": maybe(
                        record(
                            "ClockRemark",
                            "A remark about a clock.",
                            {"at": moment("when"), "message": text("what is wrong with it")},
                        ),
                        "the last remark about its clock; null for none",
                    ),
                },
            ),
            "these",
        )
    },
)

RESOURCE_TYPE = record(
    "ResourceType",
    "A resource type.",
    {
        "name": text("its name"),
        "provider": text("its provider"),
        "source": text("what a sweep reads for it"),
        "lifecycle": text("its lifecycle"),
        "required": texts("the properties that must be declared"),
        "create_only": texts("the properties whose change replaces it"),
        "interrupting": texts("the properties whose change in place may interrupt its service"),
        "write_only": texts("the properties that the provider does not show"),
        "refused": by_name(text("the reason, and what to do instead"), "the properties that Tenuto does not take"),
        "given_back": texts("the properties that get their default back when they are taken out; others stay"),
        "attributes": texts("what `Fn::GetAtt` can ask for"),
        "named_by": maybe(text("the property that names it at the provider")),
        "ref_attribute": maybe(text("the attribute that `Ref` means; null for the id")),
        "mutable": flag("whether it can be changed in place"),
        "bears_data": flag("whether its deletion loses data"),
        "watch": text("what is watched of it", Watch),
        "through": maybe(text("the general interface that it goes through; null for a block of its own")),
    },
)
RESOURCE_TYPES = record(
    "ResourceTypes",
    "The resource types of this Conductor.",
    {
        "types": listed(RESOURCE_TYPE, "those with a block of their own"),
        "more": listed(
            record(
                "MoreTypes",
                "Types that go through a general interface.",
                {
                    "provider": text("their provider"),
                    "through": text("the interface"),
                    "names": texts("their names"),
                },
            ),
            "the others, by what they go through",
        ),
    },
)
RELOADED = record(
    "ReloadedPlugins",
    "The plugins after they were looked for again.",
    {
        "loaded": texts("the phases that are new"),
        "kept": texts("the phases that were there"),
        "removed": texts("the phases that are gone"),
        "refused": texts("what could not be loaded, and why"),
    },
)

SINK = record(
    "Notification",
    "Where events are sent.",
    {
        "name": text("its name"),
        "kind": text("what it is", SinkKind),
        "place": text("where it leads; of a URL the scheme and the host"),
        "format": text("the form of what is sent", SinkForm),
        "account": maybe(text("the account of a topic")),
        "types": texts("only these event types; empty for all"),
        "processes": texts("only these processes; empty for all"),
        "accounts": texts("only processes in these accounts; empty for all"),
        "tries": whole("the number of tries before an event is given up"),
        "created": moment("when it was added"),
        "reachable": flag("whether this Conductor can send to it"),
        "trouble": text(
            "what is wrong with it, or the last error of the oldest event that waits and failed; empty for nothing"
        ),
        "waiting": whole("the events that wait for it"),
        "dead": whole("the events that were given up"),
    },
)
NEW_SINK = SINK.with_(
    "NewNotification",
    "A notification that was just added.",
    {"secret": text("the secret that signs what is sent, where Tenuto made it; it is told this once")},
    optional=("secret",),
)
SINKS = record("Notifications", "All notifications.", {"notifications": listed(SINK, "these")})
TESTED_SINK = record(
    "TestedNotification",
    "What came of a made-up event.",
    {
        "name": text("the name of the notification"),
        "id": text("the id of the event"),
        "delivered": flag("whether it arrived"),
        "error": maybe(text("why it did not")),
    },
)
DEAD = record(
    "DeadEvents",
    "The events that were given up, the oldest first.",
    {
        "name": text("the name of the notification"),
        "dead": listed(
            record(
                "DeadEvent",
                "One of them.",
                {
                    "id": text("the id of the event"),
                    "type": maybe(text("its type")),
                    "at": maybe(moment("when it happened")),
                    "process": maybe(text("its process, by the name")),
                    "tries": whole("how often it was tried"),
                    "died": maybe(moment("when it was given up")),
                    "error": text("why the last try failed"),
                    "document": free("what would have been sent"),
                },
            ),
            "these",
        ),
    },
)
REDELIVERED = record(
    "Redelivered",
    "Events that are tried again.",
    {"name": text("the name of the notification"), "redelivered": texts("the ids of the events")},
)
