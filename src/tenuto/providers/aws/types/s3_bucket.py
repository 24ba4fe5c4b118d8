"""AWS::S3::Bucket: creation, deletion and the source. Its many configurations are in s3_parts, one line each.

S3 has no bulk sweep of configurations: ListBuckets names the buckets, and every configuration of every tracked bucket
is a call of its own. They are made side by side.
"""

from collections.abc import Mapping, Sequence

from tenuto.errors import ProviderError
from tenuto.kit.regions import aws_partition
from tenuto.model.ids import Json, JsonMap
from tenuto.model.observation import ObservedItem
from tenuto.model.outcome import Done, Outcome, Refused, Request
from tenuto.model.resource import Comparison
from tenuto.model.spelling import Words
from tenuto.providers.aws.client.answers import faults
from tenuto.providers.aws.client.answers.pages import LIST_BUCKETS
from tenuto.providers.aws.client.client import AccountClient
from tenuto.providers.aws.client.owner import Tag, birth_tags, is_reserved, read_tags, tag_change
from tenuto.providers.aws.kind import AwsType, Marks, Scope, Seen, Source, Work, by_owner, flag
from tenuto.providers.aws.naming import KMS_KEY
from tenuto.providers.aws.observed import seen
from tenuto.providers.aws.question import by_name
from tenuto.providers.aws.tags.marking import are_ours
from tenuto.providers.aws.types import s3_configurations, s3_emptying, s3_lifecycle, s3_policy
from tenuto.providers.aws.types import s3_shapes as shapes
from tenuto.providers.aws.types.facts import calls, facts, member, unsaid
from tenuto.providers.aws.types.named import Named
from tenuto.providers.aws.types.s3_parts import BORN_WITH, DEFAULTS, PARTS, REFUSED

NAME = "AWS::S3::Bucket"
_NAMED = Named("BucketName", 63, fit=str.lower)
"""S3 takes small letters only."""
_YOUNG_S = 900.0
"""A creation without an answer is looked up within minutes, unless the Conductor is down for long."""
_HOME_REGION = "us-east-1"
"""The one region that S3 does not take as a location."""
_PRIVATE_ACLS = Words(same={"BucketOwnerRead": "Private", "BucketOwnerFullControl": "Private"})
"""The ACLs that are the same as Private on a bucket: they grant its owner rights that the owner has anyway, and S3
shows no trace of them."""
_DEFAULT_KEY = "BucketEncryption.ServerSideEncryptionConfiguration.ServerSideEncryptionByDefault.KMSMasterKeyID"
_FIRST_REGIONS = frozenset(
    {
        "ap-northeast-1",
        "ap-southeast-1",
        "ap-southeast-2",
        "eu-west-1",
        "sa-east-1",
        "us-east-1",
        "us-gov-west-1",
        "us-west-1",
        "us-west-2",
    }
)
"""The regions that have a dash before their name in the address of a website, where all later ones have a dot (the
endpoints and quotas of Amazon S3)."""
_REPLICA_KEY = "ReplicationConfiguration.Rules.Destination.EncryptionConfiguration.ReplicaKmsKeyID"


def _read(client: AccountClient, scope: Scope) -> list[Seen]:
    if scope.names is not None:
        buckets, policies = scope.named(NAME), scope.named(s3_policy.NAME)
        tags = {name: _tags_if_any(client, name) for name in buckets}
        present = [_seen(client, name, {"Tags": found}) for name, found in tags.items() if found is not None]
        return present + s3_policy.read(client, policies)
    names = sorted(str(bucket["Name"]) for bucket in client.pages(LIST_BUCKETS))
    shown = scope.details(client, NAME, names, lambda asked: _details(client, asked))
    found = [
        _seen(client, name, shown.get(name, {})) for name in names if name in shown or not scope.is_tracked(NAME, name)
    ]
    return found + s3_policy.read(client, [name for name in names if scope.is_tracked(s3_policy.NAME, name)])


def _details(client: AccountClient, asked: Mapping[str, frozenset[str]]) -> dict[str, JsonMap]:
    """The tags and configurations that are asked for of each bucket that is there and may be read."""
    readers = {"Tags": _tags} | {part.property: part.read for part in PARTS}
    questions = [(bucket, name) for bucket, names in asked.items() for name in sorted(names)]

    def ask(question: tuple[str, str]) -> tuple[Json] | None:
        bucket, name = question
        # A configuration may be None, and a bucket may be none.
        return client.about(bucket, lambda: (readers[name](client, bucket),))

    answers = client.each(ask, questions)
    found: dict[str, dict[str, Json]] = {bucket: {} for bucket in asked}
    for (bucket, name), answer in zip(questions, answers, strict=True):
        if answer is None:
            found.pop(bucket, None)
        elif bucket in found:
            found[bucket][name] = answer[0]
    return dict(found)


def _tags(client: AccountClient, name: str) -> list[JsonMap]:
    try:
        return list(client.read("s3", "GetBucketTagging", Bucket=name).get("TagSet") or ())
    except ProviderError as error:
        if error.code == "NoSuchTagSet":
            return []
        raise


def _tags_if_any(client: AccountClient, name: str) -> list[JsonMap] | None:
    """The tags of a bucket; None when the account has none of that name.

    No HEAD is sent: its answer is without a body, so that any server in between can say yes.
    """
    try:
        return _tags(client, name)
    except ProviderError as error:
        if faults.is_gone(error) or (faults.is_denied(error) and not _is_listed(client, name)):
            return None
        raise


def _is_listed(client: AccountClient, name: str) -> bool:
    """Whether it is one of the account's own. S3 denies everything of a bucket of another account."""
    return any(bucket["Name"] == name for bucket in client.pages(LIST_BUCKETS, Prefix=name))


def _seen(client: AccountClient, name: str, details: JsonMap) -> Seen:
    properties = {key: value for key, value in details.items() if key != "Tags"}
    return seen(
        NAME,
        name,
        {"BucketName": name, **properties},
        attributes=attributes_of(name, client.partition.region),
        tags=details.get("Tags") or (),
    )


def attributes_of(name: str, region: str) -> dict[str, Json]:
    """The answers to `Fn::GetAtt` about a bucket, which follow from its name and region."""
    partition = aws_partition(region)
    suffix, separator = partition.suffix, "-" if region in _FIRST_REGIONS else "."
    return {
        "Arn": f"arn:{partition.name}:s3:::{name}",
        "DomainName": f"{name}.s3.{suffix}",
        "DualStackDomainName": f"{name}.s3.dualstack.{region}.{suffix}",
        "RegionalDomainName": f"{name}.s3.{region}.{suffix}",
        "WebsiteURL": f"http://{name}.s3-website{separator}{region}.{suffix}",
    }


def _create(work: Work) -> Outcome:
    """Create the bucket. In its home region S3 answers the creation of an own bucket like any other, so existence is
    asked before.

    That refusal has a code of its own: nothing was sent, so the existing bucket cannot come from this very creation.
    """
    name = _NAMED(work.request)
    if _tags_if_any(work.client, name) is not None:
        return Refused(
            message=f"There is a bucket {name} already, and it is not this resource's.",
            code="BucketNameTaken",
            hint=faults.IS_TAKEN,
        )
    configuration: dict[str, Json] = {"Tags": birth_tags(work.request)}
    if work.client.partition.region != _HOME_REGION:
        configuration["LocationConstraint"] = work.client.partition.region
    lock = {"ObjectLockEnabledForBucket": True} if flag(work.want("ObjectLockEnabled")) else {}
    work.change("s3", "CreateBucket", Bucket=name, CreateBucketConfiguration=configuration, **lock)
    _ensure_tags(work, name)
    item = _seen(work.client, name, {})[1]
    return Done(physical_id=item.physical_id, attributes=item.attributes)


def _ensure_tags(work: Work, name: str) -> None:
    """Tag the bucket right after its creation where the endpoint does not take tags in it."""
    if read_tags(_tags(work.client, name)).owner is None:
        work.change("s3", "PutBucketTagging", Bucket=name, Tagging={"TagSet": birth_tags(work.request)})


def _modify(work: Work) -> Outcome:
    name = str(work.id)
    for part in PARTS:
        if work.differs(part.property):
            part.write(work, name, work.want(part.property))
    present = _tags(work.client, name)
    change = tag_change(work.request.properties, read_tags(present).declared, work.type.facts.of_services)
    if change.put or change.remove:
        wanted = [tag for tag in birth_tags(work.request) if not is_reserved(tag["Key"])]
        # S3 replaces the whole set: a tag that is not ours to declare, or of others, is written back as it is.
        changed = {*change.remove, *(tag["Key"] for tag in wanted)}
        kept = [tag for tag in present if tag["Key"] not in changed]
        work.change("s3", "PutBucketTagging", Bucket=name, Tagging={"TagSet": [*wanted, *kept]})
    return Done(physical_id=work.id)


def _put_marks(work: Work, tags: Sequence[Tag]) -> None:
    keys = {tag["Key"] for tag in tags}
    kept = [tag for tag in _tags(work.client, str(work.id)) if tag["Key"] not in keys]
    work.change("s3", "PutBucketTagging", Bucket=work.id, Tagging={"TagSet": [*kept, *map(dict, tags)]})


def _remove_marks(work: Work, tags: Sequence[Tag]) -> None:
    keys = {tag["Key"] for tag in tags}
    present = _tags(work.client, str(work.id))
    kept = [tag for tag in present if tag["Key"] not in keys]
    if not are_ours(work, present):
        return
    if kept:
        work.change("s3", "PutBucketTagging", Bucket=work.id, Tagging={"TagSet": kept})
    else:
        work.change("s3", "DeleteBucketTagging", Bucket=work.id)


def _delete(work: Work) -> Outcome:
    try:
        work.change("s3", "DeleteBucket", Bucket=work.id)
    except ProviderError as error:
        if error.code != "BucketNotEmpty" or not s3_emptying.is_marked(_tags(work.client, str(work.id))):
            raise
        more = s3_emptying.empty(work)
        if more is not None:
            return more
        work.change("s3", "DeleteBucket", Bucket=work.id)
    return Done(physical_id=work.id)


def _is_found(request: Request, item: ObservedItem) -> bool:
    """Whether the item is the bucket of the request, by its tags; one without any may be half made (`_is_whole`)."""
    return item.physical_id == _NAMED(request) and (by_owner(request, item) or item.owner is None)


def _is_whole(client: AccountClient, request: Request, item: ObservedItem) -> bool:
    """Whether a bucket without our tag is ours: when only we could have made its name, or when it looks half made.

    S3 takes tags in the creation, so that there is nothing half made. Other endpoints get them right after it, and that
    call may be lost: there, a bucket that was made just now and has no tags at all is taken for ours.
    """
    if item.owner is not None or not request.properties.get("BucketName"):
        return True
    return not item.properties.get("Tags") and not client.is_amazon("s3") and _is_young(client, item.physical_id)


def _is_young(client: AccountClient, name: str) -> bool:
    made = [one["CreationDate"] for one in client.pages(LIST_BUCKETS, Prefix=name) if one["Name"] == name]
    return any(client.clock.now() - one.timestamp() < _YOUNG_S for one in made)


SOURCE = Source(name="s3.ListBuckets", read=_read)

BUCKET = AwsType(
    facts=facts(
        NAME,
        SOURCE,
        refused=REFUSED,
        # Endpoints other than AWS show one without tags, which may be half made (`_is_whole`).
        is_read_first=True,
        # These let others in, so Tenuto changes them only when they are declared otherwise.
        left_as_is="AccessControl OwnershipControls PublicAccessBlockConfiguration",
        calls=calls(
            "s3:CreateBucket",
            "s3:DeleteBucket",
            "s3:PutBucketTagging",
            changes={part.property: f"s3:{part.put}" for part in PARTS if not part.key},
            drops={part.property: f"s3:{part.drop}" for part in PARTS if part.drop and not part.key},
            settings={part.property: None for part in PARTS if part.property not in BORN_WITH and not part.key},
            members={
                part.property: member(f"s3:{part.put}", f"s3:{part.drop}", key=part.key) for part in PARTS if part.key
            },
        ),
        create_only="ObjectLockEnabled",
        write_only="ObjectLockEnabled",
        shown="AccessControl",
        costly=["Tags", *(part.property for part in PARTS)],
        compare_as={
            "AccelerateConfiguration.AccelerationStatus": Words(absent="Suspended"),
            "AccessControl": _PRIVATE_ACLS,
            _DEFAULT_KEY: KMS_KEY,
            "CorsConfiguration.CorsRules.AllowedHeaders": Comparison.SET,
            "CorsConfiguration.CorsRules.AllowedMethods": Comparison.SET,
            "CorsConfiguration.CorsRules.AllowedOrigins": Comparison.SET,
            "CorsConfiguration.CorsRules.ExposedHeaders": Comparison.SET,
            **s3_configurations.COMPARE_AS,
            **s3_lifecycle.COMPARE_AS,
            **shapes.NOTIFICATION_RULES,
            "ReplicationConfiguration.Rules": Comparison.SET,
            "ReplicationConfiguration.Rules.Filter.And.TagFilters": Comparison.SET,
            _REPLICA_KEY: KMS_KEY,
        },
        defaults=DEFAULTS,
        unsaid=[unsaid("AccessControl", AccessControl="Custom")],
        exclusive=[("BucketName",)],
        named_by="BucketName",
        named_attributes="Arn DomainName DualStackDomainName RegionalDomainName WebsiteURL",
        bears_data=True,
    ),
    source=SOURCE,
    question=by_name("s3", "GetBucketTagging", "Bucket"),
    create=_create,
    modify=_modify,
    delete=_delete,
    is_found=_is_found,
    find_name=_NAMED,
    confirm=_is_whole,
    marks=Marks(put=_put_marks, remove=_remove_marks, put_by="s3:PutBucketTagging", removed_by="s3:PutBucketTagging"),
)

BUCKET_POLICY = s3_policy.policy_type(SOURCE)
TYPES = (BUCKET, BUCKET_POLICY)
