"""AWS::EC2::KeyPair. As in CloudFormation, a private key that EC2 makes is kept in the parameter /ec2/keypair/<id>."""

from tenuto.errors import ProviderError, TransientError
from tenuto.model.ids import Json, JsonMap
from tenuto.model.observation import ObservedItem
from tenuto.model.outcome import Done, Outcome, Request
from tenuto.model.resource import Comparison
from tenuto.providers.aws.client.answers import faults
from tenuto.providers.aws.client.answers.pages import ec2
from tenuto.providers.aws.client.client import AccountClient
from tenuto.providers.aws.kind import AwsType, Scope, Seen, Source, Work, by_owner
from tenuto.providers.aws.observed import narrowed, seen
from tenuto.providers.aws.question import by_ids
from tenuto.providers.aws.types.facts import calls, facts

NAME = "AWS::EC2::KeyPair"
_KEY_PAIRS = ec2("DescribeKeyPairs", "KeyPairs", page_size=0)


def _read(client: AccountClient, scope: Scope) -> list[Seen]:
    return [_seen(pair) for pair in client.pages(_KEY_PAIRS, **narrowed(scope.filters))]


def _seen(pair: JsonMap) -> Seen:
    return seen(
        NAME,
        pair["KeyName"],
        {"KeyName": pair["KeyName"], "KeyType": pair.get("KeyType")},
        attributes={"KeyPairId": pair.get("KeyPairId"), "KeyFingerprint": pair.get("KeyFingerprint")},
        tags=pair.get("Tags") or (),
    )


def _create(work: Work) -> Outcome:
    name, public_key = work.need("KeyName"), work.want("PublicKeyMaterial")
    if public_key:
        made = work.change(
            "ec2", "ImportKeyPair", KeyName=name, PublicKeyMaterial=str(public_key).encode(), **work.birth()
        )
    else:
        made = work.change("ec2", "CreateKeyPair", KeyName=name, **work.given("KeyFormat", "KeyType"), **work.birth())
        _keep(work, made)
    return Done(
        physical_id=name,
        attributes={"KeyPairId": made["KeyPairId"], "KeyFingerprint": made.get("KeyFingerprint")},
    )


def _keep(work: Work, made: JsonMap) -> None:
    """Store the private key; without it the pair is of no use, so it goes again.

    It carries no marks of its own: whose it is follows from the pair in its name, also after a release.
    When it is unknown whether it was stored, the creation is in doubt, and looked up (`_is_whole`) before another one.
    """
    try:
        work.change(
            "ssm",
            "PutParameter",
            Name=_parameter(made["KeyPairId"]),
            Type="SecureString",
            Value=made["KeyMaterial"],
            Description=f"Private key of {made['KeyName']}",
        )
    except TransientError as error:
        raise TransientError(str(error), code="HalfMade", request_id=error.request_id) from error
    except ProviderError as error:
        if faults.is_taken(error):
            # The name holds the id of the pair: only this very call can have stored it, when it arrived twice.
            return
        work.change("ec2", "DeleteKeyPair", KeyName=made["KeyName"])
        raise


def _parameter(key_pair_id: Json) -> str:
    return f"/ec2/keypair/{key_pair_id}"


def _is_whole(client: AccountClient, request: Request, item: ObservedItem) -> bool:
    """Whether the private key was kept before the Conductor died; a pair without one is deleted, to be made again."""
    if request.properties.get("PublicKeyMaterial"):
        return True
    key_pair_id = item.attributes["KeyPairId"]
    try:
        client.read("ssm", "GetParameter", Name=_parameter(key_pair_id))
    except ProviderError as error:
        if not faults.is_gone(error):
            raise
        client.change("ec2", "DeleteKeyPair", (request.object_id,), KeyName=str(item.physical_id))
        return False
    return True


def _delete(work: Work) -> Outcome:
    key_pair_id = work.request.attributes.get("KeyPairId")
    if key_pair_id and not work.want("PublicKeyMaterial"):
        work.let_go("ssm", "DeleteParameter", Name=_parameter(key_pair_id))
    # EC2 answers the deletion of a pair that is not there like any other.
    work.change("ec2", "DeleteKeyPair", KeyName=work.id)
    return Done(physical_id=work.id)


SOURCE = Source(name="ec2.DescribeKeyPairs", read=_read)

KEY_PAIR = AwsType(
    facts=facts(
        NAME,
        SOURCE,
        # Given key material it is ImportKeyPair, at the same rate.
        calls=calls("ec2:CreateKeyPair", "ec2:DeleteKeyPair", is_tagged=True),
        in_place="Tags",
        write_only="PublicKeyMaterial",
        compare_as={"KeyType": Comparison.SHOWN},
        exclusive=[("KeyName",)],
        named_by="KeyName",
        bears_data=True,
    ),
    source=SOURCE,
    question=by_ids("DescribeKeyPairs", "KeyNames", "KeyPairs"),
    create=_create,
    delete=_delete,
    is_found=by_owner,
    confirm=_is_whole,
    tagged_as="key-pair",
    tag_id="KeyPairId",
)
TYPES = (KEY_PAIR,)
