"""AWS::Route53::RecordSet and AWS::Route53::RecordSetGroup.

They are code, since a record is changed by batches and known by a key. An act is one batch, which Route 53 carries out
as a whole or not at all: a record that gets another name or type is never missing in between. A record that is there
already is not overwritten: only the records that the id of the resource names are.
"""

from collections.abc import Iterable, Sequence

from tenuto.core.planning.equality.values import means_same
from tenuto.errors import PermanentError, ProviderError, TransientError
from tenuto.model.ids import Json, JsonMap, PhysicalId
from tenuto.model.observation import ObservedItem
from tenuto.model.outcome import Done, Outcome
from tenuto.model.resource import Comparison
from tenuto.providers.aws.client.answers import codes
from tenuto.providers.aws.client.answers.faults import unless_gone
from tenuto.providers.aws.client.names import generated_name
from tenuto.providers.aws.comparisons import WORDS
from tenuto.providers.aws.kind import AwsType, Work
from tenuto.providers.aws.types.facts import calls, facts
from tenuto.providers.aws.types.route53_changes import SERVICE, in_effect, settled
from tenuto.providers.aws.types.route53_names import plain_name, zone_of
from tenuto.providers.aws.types.route53_records import (
    GROUP,
    RECORD,
    SOURCE,
    Key,
    group_id_of,
    id_of,
    key_in,
    key_of,
    keys_in,
    records_of,
    rules,
    seen_group,
    seen_record,
    sent,
)

_LONGEST = 80
_CHANGE = f"{SERVICE}:ChangeResourceRecordSets"
_RECORD_RULES = rules()
_GROUP_RULES = {"RecordSets": Comparison.SET, **rules("RecordSets.")}


def _changed(work: Work, zone: str, changes: Sequence[tuple[str, JsonMap]], done: Done) -> Outcome:
    """Order a batch of changes; done when it is in effect."""
    if not changes:
        return done
    batch: dict[str, Json] = {"Changes": [{"Action": word, "ResourceRecordSet": dict(one)} for word, one in changes]}
    if work.want("Comment"):
        batch["Comment"] = work.want("Comment")
    try:
        answer = work.change(SERVICE, "ChangeResourceRecordSets", HostedZoneId=zone, ChangeBatch=batch)
    except PermanentError as error:
        raise _meant(error) from error
    return settled(answer["ChangeInfo"], done)


def _meant(error: PermanentError) -> ProviderError:
    """The refusal by its meaning: Route 53 has one code for all refusals of a batch."""
    text = str(error)
    if "already exists" in text:
        return PermanentError(text, code="ResourceAlreadyExists", request_id=error.request_id)
    if "do not match the current values" in text or "but it was not found" in text:
        # Another writer was between our reading and our change: the next try reads anew.
        return TransientError(text, code=codes.CLASH, request_id=error.request_id)
    return error


def _current(work: Work, zone: str, keys: Iterable[Key]) -> dict[Key, JsonMap]:
    """The records of these keys as they are now; none in a zone that is gone."""
    return unless_gone(lambda: records_of(work.client, zone, keys)) or {}


def _wished(work: Work) -> tuple[str, dict[Key, JsonMap]]:
    """The zone and the records that a group declares. Raises PermanentError for records of several zones: a batch
    is of one, and a group shall be made as a whole."""
    declared: Sequence[JsonMap] = work.want("RecordSets") or ()
    own = {name: work.want(name) for name in ("HostedZoneId", "HostedZoneName") if work.want(name)}
    places = {
        tuple(sorted({name: str(one[name]) for name in ("HostedZoneId", "HostedZoneName") if one.get(name)}.items()))
        for one in declared
    } - {()}
    zones = {zone_of(work.client, dict(one) if one else own) for one in sorted(places)}
    zones |= {zone_of(work.client, own)} if own or not places else set()
    if len(zones) != 1:
        raise PermanentError(
            f"{work.request.logical_id} has records in {len(zones)} zones. Declare a group for each zone.",
            code="InvalidParameter",
        )
    return zones.pop(), {key_of(one): one for one in declared}


def _create(work: Work) -> Outcome:
    zone, one = zone_of(work.client, work.request.properties), key_of(work.request.properties)
    done = Done(physical_id=PhysicalId(id_of(zone, one)), attributes={"Ref": one.name})
    return _changed(work, zone, [("CREATE", sent(work.request.properties))], done)


def _modify(work: Work) -> Outcome:
    """Replace the values of the record; one with another key comes with the same batch in which the old one goes."""
    (zone, before), after = key_in(str(work.id)), key_of(work.request.properties)
    record = sent(work.request.properties)
    done = Done(physical_id=PhysicalId(id_of(zone, after)), attributes={"Ref": after.name})
    if after != before:
        old = [("DELETE", one) for one in _current(work, zone, [before]).values()]
        return _changed(work, zone, [*old, ("CREATE", record)], done)
    is_changed = any(work.differs(name) for name in sorted(work.request.properties))
    return _changed(work, zone, [("UPSERT", record)] if is_changed else [], Done(physical_id=work.id))


def _delete(work: Work) -> Outcome:
    zone, one = key_in(str(work.id))
    return _gone(work, zone, [one])


def _gone(work: Work, zone: str, keys: Sequence[Key]) -> Outcome:
    """Delete records, with the values that they have now: Route 53 asks for these."""
    there = _current(work, zone, keys)
    if not there:
        raise PermanentError(f"There is no record {work.id}.", code="ResourceNotFound")
    return _changed(work, zone, [("DELETE", one) for one in there.values()], Done(physical_id=work.id))


def _find(work: Work) -> ObservedItem | None:
    """The record of the declared key, if it has the declared values."""
    zone, one = zone_of(work.client, work.request.properties), key_of(work.request.properties)
    for record in _current(work, zone, [one]).values():
        item = seen_record(id_of(zone, one), zone, record)[1]
        return item if _is_record(work.request.properties, item) else None
    return None


def _is_record(declared: JsonMap, item: ObservedItem) -> bool:
    shown = {
        name: value for name, value in declared.items() if value is not None and name not in ("Comment", "HostedZoneId")
    }
    return means_same(shown, item.properties, _RECORD_RULES)


def _create_group(work: Work) -> Outcome:
    zone, wanted = _wished(work)
    name = generated_name(work.request, _LONGEST)
    done = Done(physical_id=PhysicalId(group_id_of(zone, wanted)), attributes={"Id": name, "Ref": name})
    return _changed(work, zone, [("CREATE", sent(one)) for one in wanted.values()], done)


def _modify_group(work: Work) -> Outcome:
    """Bring each record to its declaration, and take away those that are not declared any more."""
    (zone, wanted), (_, before) = _wished(work), keys_in(str(work.id))
    there = _current(work, zone, [*before, *wanted])
    changes = [("DELETE", there[key]) for key in before if key not in wanted and key in there]
    for key, declared in wanted.items():
        shown = seen_record("", zone, there[key])[1].properties if key in there else None
        if shown is None or not means_same(_plain(declared), shown, _RECORD_RULES):
            changes.append(("UPSERT" if key in before else "CREATE", sent(declared)))
    return _changed(work, zone, changes, Done(physical_id=PhysicalId(group_id_of(zone, wanted))))


def _plain(declared: JsonMap) -> dict[str, Json]:
    return {name: value for name, value in declared.items() if name not in ("HostedZoneId", "HostedZoneName")}


def _delete_group(work: Work) -> Outcome:
    zone, keys = keys_in(str(work.id))
    return _gone(work, zone, keys)


def _find_group(work: Work) -> ObservedItem | None:
    """The records of the group, if all are there with the declared values: a batch makes all of them or none."""
    zone, wanted = _wished(work)
    records = list(_current(work, zone, wanted).values())
    item = seen_group(group_id_of(zone, wanted), zone, records)[1]
    declared = {"RecordSets": [_plain(one) for one in wanted.values()]}
    is_it = bool(records) and means_same(declared, item.properties, _GROUP_RULES)
    name = generated_name(work.request, _LONGEST)
    return (
        ObservedItem(physical_id=item.physical_id, properties=item.properties, attributes={"Id": name, "Ref": name})
        if is_it
        else None
    )


RECORD_SET = AwsType(
    facts=facts(
        RECORD,
        SOURCE,
        goes_in_steps=True,
        calls=calls(_CHANGE, _CHANGE, _CHANGE),
        compare_as=_RECORD_RULES,
        # A record is replaced as a whole.
        defaults=dict.fromkeys(
            (
                *("AliasTarget", "CidrRoutingConfig", "Failover", "GeoLocation", "GeoProximityLocation"),
                *("HealthCheckId", "MultiValueAnswer", "Region", "ResourceRecords", "SetIdentifier", "TTL", "Weight"),
            )
        ),
        # Records of one name that share it by set identifiers are told apart by their keys.
        id_form="Name|HostedZoneId|Type",
        exclusive=[("HostedZoneId", "Name", "Type"), ("HostedZoneName", "Name", "Type")],
        retelling=WORDS,
        attributes="Ref",
        ref_attribute="Ref",
        is_tagged=False,
    ),
    source=SOURCE,
    create=in_effect(_create),
    modify=in_effect(_modify),
    delete=in_effect(_delete),
    is_found=lambda request, item: key_in(str(item.physical_id))[1] == key_of(request.properties),
    find=_find,
    known_as=lambda work, _: id_of(zone_of(work.client, work.request.properties), key_of(work.request.properties)),
)
RECORD_SET_GROUP = AwsType(
    facts=facts(
        GROUP,
        SOURCE,
        goes_in_steps=True,
        calls=calls(_CHANGE, _CHANGE, _CHANGE),
        write_only="Comment HostedZoneName",
        compare_as=_GROUP_RULES,
        exclusive=[("RecordSets",)],
        retelling=WORDS,
        attributes="Id Ref",
        ref_attribute="Ref",
        is_tagged=False,
    ),
    source=SOURCE,
    create=in_effect(_create_group),
    modify=in_effect(_modify_group),
    delete=in_effect(_delete_group),
    is_found=lambda request, item: plain_name(item.physical_id) != "",
    find=_find_group,
    known_as=lambda work, _: group_id_of(*_wished(work)),
)
TYPES = (RECORD_SET, RECORD_SET_GROUP)
