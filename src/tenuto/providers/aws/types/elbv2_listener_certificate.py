"""AWS::ElasticLoadBalancingV2::ListenerCertificate: certificates of a listener beside its default one."""

from collections.abc import Sequence

from tenuto.model.ids import Json
from tenuto.providers.aws.blocks.calls import Listed
from tenuto.providers.aws.client.client import AccountClient
from tenuto.providers.aws.kind import Work
from tenuto.providers.aws.types.held_members import HeldMembers, held

_ARN = "CertificateArn"
_LISTED = Listed(operation="DescribeListenerCertificates", id=_ARN, members="Certificates")


def _arns(certificates: Json) -> list[str]:
    return [str(one[_ARN]) for one in certificates or () if one.get(_ARN)]


def _given(arns: Sequence[str]) -> Json:
    return [{_ARN: arn} for arn in arns]


def _on(client: AccountClient, listener: str) -> frozenset[str]:
    shown = client.pages(_LISTED.paging("elbv2"), ListenerArn=listener)
    return frozenset(str(one[_ARN]) for one in shown if not one.get("IsDefault"))


def _put(work: Work, listener: str, arns: Sequence[str]) -> None:
    work.change("elbv2", "AddListenerCertificates", ListenerArn=listener, Certificates=_given(arns))


def _take_off(work: Work, listener: str, arns: Sequence[str]) -> None:
    work.let_go("elbv2", "RemoveListenerCertificates", ListenerArn=listener, Certificates=_given(arns))


CERTIFICATE = held(
    HeldMembers(
        name="AWS::ElasticLoadBalancingV2::ListenerCertificate",
        holder="ListenerArn",
        members="Certificates",
        there=_on,
        put=_put,
        take_out=_take_off,
        told=_arns,
        declared=_given,
    ),
    put="elbv2:AddListenerCertificates",
    take_out="elbv2:RemoveListenerCertificates",
    exclusive=[("ListenerArn", "Certificates")],
)
TYPES = (CERTIFICATE,)
