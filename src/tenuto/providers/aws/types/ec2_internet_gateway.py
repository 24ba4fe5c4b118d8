"""AWS::EC2::InternetGateway and AWS::EC2::VPCGatewayAttachment."""

from tenuto.model.ids import Json, JsonMap, PhysicalId
from tenuto.model.observation import Condition
from tenuto.model.outcome import Done, Outcome
from tenuto.providers.aws.client.client import AccountClient
from tenuto.providers.aws.client.pages import ec2
from tenuto.providers.aws.kind import AwsType, IdFilter, Question, Scope, Seen, Source, Work, by_key, by_owner
from tenuto.providers.aws.observed import narrowed, seen
from tenuto.providers.aws.types.facts import calls, facts

GATEWAY = "AWS::EC2::InternetGateway"
ATTACHMENT = "AWS::EC2::VPCGatewayAttachment"
_GATEWAYS = ec2("DescribeInternetGateways", "InternetGateways")
_CONDITIONS = {"attaching": Condition.PENDING, "detaching": Condition.GOING, "detached": Condition.GONE}
_ATTACHMENT_TYPE = "IGW"


def _read(client: AccountClient, scope: Scope) -> list[Seen]:
    found: list[Seen] = []
    for gateway in client.pages(_GATEWAYS, **narrowed(scope.filters)):
        gateway_id = gateway["InternetGatewayId"]
        attributes = {"InternetGatewayId": gateway_id}
        found.append(seen(GATEWAY, gateway_id, {}, attributes=attributes, tags=gateway.get("Tags") or ()))
        found += [_seen_attachment(gateway_id, one) for one in gateway.get("Attachments") or ()]
    return found


def _seen_attachment(gateway_id: str, attachment: JsonMap) -> Seen:
    properties = {"InternetGatewayId": gateway_id, "VpcId": attachment["VpcId"]}
    return seen(
        ATTACHMENT,
        _attachment_id(properties),
        properties,
        attributes=_attributes(properties),
        condition=_CONDITIONS.get(str(attachment.get("State")), Condition.READY),
    )


def _attachment_id(properties: JsonMap) -> str:
    return f"{properties.get('InternetGatewayId')}|{properties.get('VpcId')}"


def _attributes(properties: JsonMap) -> dict[str, Json]:
    """An attachment is known by its kind and its VPC (`Ref`), but found again by its gateway."""
    return {"AttachmentType": _ATTACHMENT_TYPE, "Ref": f"{_ATTACHMENT_TYPE}|{properties.get('VpcId')}"}


def _create(work: Work) -> Outcome:
    gateway_id = work.change("ec2", "CreateInternetGateway", **work.birth())["InternetGateway"]["InternetGatewayId"]
    return Done(physical_id=gateway_id, attributes={"InternetGatewayId": gateway_id})


def _delete(work: Work) -> Outcome:
    work.change("ec2", "DeleteInternetGateway", InternetGatewayId=work.id)
    return Done(physical_id=work.id)


def _attach(work: Work) -> Outcome:
    gateway_id, vpc_id = work.need("InternetGatewayId"), work.need("VpcId")
    work.change("ec2", "AttachInternetGateway", InternetGatewayId=gateway_id, VpcId=vpc_id)
    return Done(
        physical_id=PhysicalId(_attachment_id(work.request.properties)),
        attributes=_attributes(work.request.properties),
    )


def _detach(work: Work) -> Outcome:
    gateway_id, vpc_id = work.id.split("|")
    work.change("ec2", "DetachInternetGateway", InternetGatewayId=gateway_id, VpcId=vpc_id)
    return Done(physical_id=work.id)


SOURCE = Source(
    name="ec2.DescribeInternetGateways",
    read=_read,
    by_id={
        GATEWAY: IdFilter(name="internet-gateway-id"),
        ATTACHMENT: IdFilter(name="internet-gateway-id"),
    },
)

INTERNET_GATEWAY = AwsType(
    facts=facts(
        GATEWAY,
        SOURCE,
        calls=calls("ec2:CreateInternetGateway", "ec2:DeleteInternetGateway", is_tagged=True),
    ),
    source=SOURCE,
    question=Question("ec2", "DescribeInternetGateways", "InternetGatewayIds"),
    create=_create,
    delete=_delete,
    is_found=by_owner,
    tagged_as="internet-gateway",
)

GATEWAY_ATTACHMENT = AwsType(
    facts=facts(
        ATTACHMENT,
        SOURCE,
        calls=calls("ec2:AttachInternetGateway", "ec2:DetachInternetGateway"),
        create_only="InternetGatewayId VpnGatewayId",
        exclusive=[("InternetGatewayId",), ("VpcId",)],
        is_tagged=False,
        is_mutable=False,
    ),
    source=SOURCE,
    create=_attach,
    delete=_detach,
    is_found=by_key(_attachment_id),
    unsupported=frozenset({"VpnGatewayId"}),
    find_filters=(("InternetGatewayId", "internet-gateway-id"),),
)
TYPES = (GATEWAY_ATTACHMENT, INTERNET_GATEWAY)
