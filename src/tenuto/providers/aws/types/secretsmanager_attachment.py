"""AWS::SecretsManager::SecretTargetAttachment: where the database of a secret is, written into the secret itself.

Theory of operation. Functions that rotate a secret, and people, find the database by members of its document. The
attachment adds them: it reads the database and the document, and writes a new version of the document when that says
anything else. The value never leaves the provider, and no sweep reads it: a change that a user makes in it is not seen.
So a tag of the secret, which is put on it last, says that it is attached, and names the database. At the end the tag
goes, and the document stays as it is: the password in it may be the only one there is.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass

from tenuto.errors import PermanentError
from tenuto.model.ids import Json, JsonMap, PhysicalId
from tenuto.model.outcome import Done, Outcome, Pending, Request
from tenuto.providers.aws.blocks.wire import at
from tenuto.providers.aws.client.client import AccountClient
from tenuto.providers.aws.kind import AwsType, Scope, Seen, Source, Work, declared
from tenuto.providers.aws.observed import seen
from tenuto.providers.aws.types.cloud_control_model import SENT, is_sent_anew, sent
from tenuto.providers.aws.types.facts import calls, facts

_NAME = "AWS::SecretsManager::SecretTargetAttachment"
_SECRET, _TARGET, _TYPE = "SecretId", "TargetId", "TargetType"
_MARK = "tenuto:attached"
"""The key of the tag that names the database."""
_ASK_AGAIN_S = 20.0


@dataclass(frozen=True, slots=True, kw_only=True)
class _Database:
    """A kind of database: the call that describes one, and the places of a document's values in the answer."""

    service: str
    call: str
    parameter: str
    at: str
    members: Mapping[str, str]
    fixed: Mapping[str, Json]


def _instance(service: str, members: Mapping[str, str], **fixed: Json) -> _Database:
    places = {"host": "Endpoint.Address", "port": "Endpoint.Port", "dbInstanceIdentifier": "DBInstanceIdentifier"}
    return _Database(
        service=service,
        call="DescribeDBInstances",
        parameter="DBInstanceIdentifier",
        at="DBInstances[0]",
        members={**places, **members},
        fixed=fixed,
    )


def _cluster(service: str, members: Mapping[str, str], **fixed: Json) -> _Database:
    places = {"host": "Endpoint", "port": "Port", "dbClusterIdentifier": "DBClusterIdentifier"}
    return _Database(
        service=service,
        call="DescribeDBClusters",
        parameter="DBClusterIdentifier",
        at="DBClusters[0]",
        members={**places, **members},
        fixed=fixed,
    )


_DATABASES = {
    "AWS::RDS::DBInstance": _instance("rds", {"engine": "Engine", "dbname": "DBName"}),
    "AWS::RDS::DBCluster": _cluster("rds", {"engine": "Engine", "dbname": "DatabaseName"}),
    "AWS::DocDB::DBInstance": _instance("docdb", {}, engine="mongo", ssl=True),
    "AWS::DocDB::DBCluster": _cluster("docdb", {}, engine="mongo", ssl=True),
    "AWS::Redshift::Cluster": _Database(
        service="redshift",
        call="DescribeClusters",
        parameter="ClusterIdentifier",
        at="Clusters[0]",
        members={
            "host": "Endpoint.Address",
            "port": "Endpoint.Port",
            "dbname": "DBName",
            "dbClusterIdentifier": "ClusterIdentifier",
        },
        fixed={"engine": "redshift"},
    ),
}


def _read(client: AccountClient, scope: Scope) -> list[Seen]:
    asked = [str(one) for one in (scope.ids(_NAME) if scope.names is None else scope.named(_NAME))]
    there = client.each_there(lambda one: client.read("secretsmanager", "DescribeSecret", SecretId=one), asked)
    found = ((one, secret, _target_in(secret)) for one, secret in there.items())
    return [
        seen(_NAME, one, {_SECRET: one, _TARGET: target}, attributes={"Id": one})
        for one, secret, target in found
        if target and secret.get("DeletedDate") is None
    ]


def _target_in(secret: JsonMap) -> str:
    """The database that the tags of a secret name; empty where it is not attached."""
    return next((str(tag["Value"]) for tag in secret.get("Tags") or () if tag["Key"] == _MARK), "")


def _modify(work: Work) -> Outcome:
    is_another = work.differs(_TARGET) or is_sent_anew(work.request, _TYPE)
    return _attached(work) if is_another else Done(physical_id=work.id)


def _attached(work: Work) -> Outcome:
    """Write where the database is, unless the document says it already."""
    secret = str(work.need(_SECRET))
    place = _place_of(work)
    if place is None:
        told = f"the database {work.need(_TARGET)} has no address yet"
        return Pending(message=told, delay_s=_ASK_AGAIN_S, is_undone=True)
    document = _document(work, secret)
    if any(document.get(name) != value for name, value in place.items()):
        text = json.dumps({**document, **place})
        work.change("secretsmanager", "PutSecretValue", SecretId=secret, SecretString=text)
    mark = {"Key": _MARK, "Value": str(work.need(_TARGET))}
    work.change("secretsmanager", "TagResource", SecretId=secret, Tags=[mark])
    return Done(physical_id=PhysicalId(secret), attributes={"Id": secret, SENT: sent(work.request)})


def _delete(work: Work) -> Outcome:
    work.change("secretsmanager", "UntagResource", SecretId=work.id, TagKeys=[_MARK])
    return Done(physical_id=work.id)


def _place_of(work: Work) -> JsonMap | None:
    """The members about the database; None while it has no address. Raises PermanentError for another kind of thing."""
    kind = _DATABASES.get(str(work.need(_TYPE)))
    if kind is None:
        raise PermanentError(
            f"{_TYPE} is {work.want(_TYPE)}, and a secret can be attached to {', '.join(sorted(_DATABASES))}.",
            code="InvalidRequest",
        )
    shown = at(work.read(kind.service, kind.call, **{kind.parameter: work.need(_TARGET)}), kind.at) or {}
    found = {name: at(shown, path) for name, path in kind.members.items()}
    if not found["host"]:
        return None
    return {**{name: value for name, value in found.items() if value is not None}, **kind.fixed}


def _document(work: Work, secret: str) -> JsonMap:
    """The document in the secret. Raises PermanentError for a value that is none; the message has nothing of it."""
    shown = work.read("secretsmanager", "GetSecretValue", SecretId=secret)
    try:
        document = json.loads(shown.get("SecretString") or "{}")
    except ValueError:
        document = None
    if not isinstance(document, dict):
        raise PermanentError(
            f"The value of the secret {secret} is no JSON document with members, so nothing can be added to it.",
            code="InvalidRequest",
        )
    return document


SOURCE = Source(name=_NAME, read=_read, shows_all=False)


def _id_of(request: Request) -> str:
    return str(request.properties.get(_SECRET))


ATTACHMENT = AwsType(
    facts=facts(
        _NAME,
        SOURCE,
        goes_in_steps=True,
        calls=calls(
            "secretsmanager:PutSecretValue secretsmanager:TagResource",
            "secretsmanager:UntagResource",
            "secretsmanager:PutSecretValue secretsmanager:TagResource",
        ),
        write_only=_TYPE,
        attributes="Id",
        exclusive=[(_SECRET,)],
        is_tagged=False,
    ),
    source=SOURCE,
    create=_attached,
    modify=_modify,
    delete=_delete,
    is_found=lambda request, item: item.physical_id == request.properties.get(_SECRET),
    find_name=_id_of,
    known_as=declared(_id_of),
)
TYPES = (ATTACHMENT,)
