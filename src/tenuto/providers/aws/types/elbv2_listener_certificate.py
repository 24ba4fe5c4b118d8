"""AWS::ElasticLoadBalancingV2::ListenerCertificate: certificates of a listener beside its default one.

It is code, since it is nothing by itself: what there is are certificates on a listener, of which others are declared
elsewhere. So its physical id is the listener and its own certificates, and a sweep reads each listener once.
"""

from tenuto.core.planning.equality import means_same
from tenuto.model.ids import Json, JsonMap, PhysicalId
from tenuto.model.observation import ObservedItem
from tenuto.model.outcome import Done, Outcome, Request
from tenuto.model.resource import Comparison
from tenuto.providers.aws.blocks.calls import ID, Listed
from tenuto.providers.aws.client.client import AccountClient
from tenuto.providers.aws.kind import AwsType, Scope, Seen, Source, Work
from tenuto.providers.aws.observed import seen
from tenuto.providers.aws.types.facts import calls, facts, member

_NAME = "AWS::ElasticLoadBalancingV2::ListenerCertificate"
_SERVICE, _LISTENER, _CERTIFICATES, _ARN = "elbv2", "ListenerArn", "Certificates", "CertificateArn"
_LISTED = Listed(operation="DescribeListenerCertificates", id=_ARN, members=_CERTIFICATES)
_RULES = {_CERTIFICATES: Comparison.SET}


def _arns(declared: Json) -> list[str]:
    return sorted(str(one[_ARN]) for one in declared or () if one.get(_ARN))


def _given(arns: list[str]) -> list[JsonMap]:
    return [{_ARN: arn} for arn in arns]


def _sought(request: Request) -> str:
    return ID.join((str(request.properties.get(_LISTENER)), *_arns(request.properties.get(_CERTIFICATES))))


def _read(client: AccountClient, scope: Scope) -> list[Seen]:
    asked = [str(one) for one in (scope.ids(_NAME) if scope.names is None else scope.named(_NAME))]
    listeners = dict.fromkeys(one.partition(ID)[0] for one in asked)
    there = client.each_there(lambda listener: _on(client, listener), listeners)
    found: list[Seen] = []
    for one in asked:
        listener, *arns = one.split(ID)
        shown = [arn for arn in arns if arn in there.get(listener, ())]
        if shown:
            found.append(seen(_NAME, one, {_LISTENER: listener, _CERTIFICATES: _given(shown)}))
    return found


def _on(client: AccountClient, listener: str) -> frozenset[str]:
    """The certificates of a listener. Raises ProviderError, also when there is no such listener."""
    shown = client.pages(_LISTED.paging(_SERVICE), **{_LISTENER: listener})
    return frozenset(str(one[_ARN]) for one in shown if not one.get("IsDefault"))


def _create(work: Work) -> Outcome:
    """Add the certificates. Those that the listener has already stay, and are ours from now on."""
    _put(work, str(work.need(_LISTENER)), _arns(work.need(_CERTIFICATES)))
    return Done(physical_id=PhysicalId(_sought(work.request)))


def _modify(work: Work) -> Outcome:
    listener, *present = str(work.id).split(ID)
    wanted, there = _arns(work.need(_CERTIFICATES)), _arns(work.seen(_CERTIFICATES))
    _put(work, listener, [arn for arn in wanted if arn not in there])
    _take_off(work, listener, [arn for arn in present if arn not in wanted])
    return Done(physical_id=PhysicalId(_sought(work.request)))


def _delete(work: Work) -> Outcome:
    listener, *arns = str(work.id).split(ID)
    _take_off(work, listener, arns)
    return Done(physical_id=work.id)


def _put(work: Work, listener: str, arns: list[str]) -> None:
    if arns:
        work.change(_SERVICE, "AddListenerCertificates", **{_LISTENER: listener, _CERTIFICATES: _given(arns)})


def _take_off(work: Work, listener: str, arns: list[str]) -> None:
    if arns:
        given = {_LISTENER: listener, _CERTIFICATES: _given(arns)}
        work.let_go(_SERVICE, "RemoveListenerCertificates", **given)


def _is_it(request: Request, item: ObservedItem) -> bool:
    return means_same(
        {name: request.properties.get(name) for name in (_LISTENER, _CERTIFICATES)}, item.properties, _RULES
    )


SOURCE = Source(name=_NAME, read=_read, shows_all=False)
CERTIFICATE = AwsType(
    facts=facts(
        _NAME,
        SOURCE,
        calls=calls(
            "elbv2:AddListenerCertificates",
            "elbv2:RemoveListenerCertificates",
            members={
                _CERTIFICATES: member(
                    "elbv2:AddListenerCertificates",
                    "elbv2:RemoveListenerCertificates",
                    "elbv2:RemoveListenerCertificates",
                )
            },
        ),
        compare_as=_RULES,
        is_tagged=False,
    ),
    source=SOURCE,
    create=_create,
    modify=_modify,
    delete=_delete,
    is_found=_is_it,
    find_name=_sought,
)
TYPES = (CERTIFICATE,)
