"""The emulated AWS without some refusals that AWS does not have, for templates that people wrote.

What is taught, and what says that AWS takes it:

* a policy without `Version`, or of 2008-10-17 (the reference of IAM: the element is optional, and that is its default);
* a device of a machine that is no volume of EBS (`VirtualName`), and one that takes its size from the image (the
  reference of RunInstances);
* a device of a launch template that takes its size from the image, as machines of a group are made with it;
* a role of a pipeline that trusts several services, or several statements of which one names a service (the emulator
  compares each statement as a text);
* an endpoint without a type (it is a gateway by default; the emulator makes it and fails at its deletion);
* metrics of a group without a name (EnableMetricsCollection: all of them);
* public parameters of images beside those of Amazon Linux (the reference of Systems Manager lists Ubuntu, Debian and
  Windows): each names the same image;
* a layer of another account, as AWS and others publish theirs (the guide of Lambda: a layer may be shared with all);
* `mutualTlsAuthentication` of a domain of API Gateway, which the emulator drops (the reference of GetDomainName shows
  it), and a question for a mapping of a domain that has none (the reference of GetBasePathMapping: NotFoundException;
  the emulator fails);
* the deletion of a deployment whose stage has turned to another one (the guide of API Gateway: a deployment that no
  stage points to can be deleted; the emulator compares the names of stages);
* a document of Systems Manager without a type (the reference of CreateDocument: the member is optional);
* a bucket for logs without a policy that names the logging service (AWS publishes samples that write it afterwards).
  The logs themselves come hours later at AWS; here they never do, or no such bucket would be empty at its deletion.

The code of functions is not run. A function that a custom resource asks answers that it is done. Its attributes are
those that the corpus keeps for the resource (`ATTRIBUTES`), since nobody knows what the code would have found.
"""

import json
import sys
import threading
from typing import Any

import urllib3
from packaged import BUCKET

from tenuto.bootstrap.tools import emulator

IMAGE = "ami-12c6146b"
ATTRIBUTES = "attributes.json"
"""The key of what custom resources answer in the bucket of the corpus: attributes, by logical id."""
SIZE = 8
"""The size of a volume of the image, in GiB."""
PUBLIC = "/aws/service/"
METRICS = [
    "GroupDesiredCapacity",
    "GroupInServiceInstances",
    "GroupMaxSize",
    "GroupMinSize",
    "GroupPendingInstances",
    "GroupStandbyInstances",
    "GroupTerminatingInstances",
    "GroupTotalInstances",
]


class LenientEmulator(emulator.Emulator):
    """A running emulator that takes what AWS takes."""

    program = (__file__,)


def _by_service(statements: Any) -> list[dict[str, Any]]:
    """The statements of a policy that trust a service, each of them naming one as a text."""
    trusted = [one.get("Principal") for one in ([statements] if isinstance(statements, dict) else statements)]
    named = [one.get("Service", []) for one in trusted if isinstance(one, dict)]
    return [{"Principal": {"Service": one}} for some in named for one in ([some] if isinstance(some, str) else some)]


def teach() -> None:
    """Change the emulator of this process."""
    _teach_devices()
    _teach_apis()
    _teach_functions()
    _teach_layers()
    _teach_pipelines()
    _teach_parameters()
    _teach_rest()


def _teach_rest() -> None:
    from moto.autoscaling.models import FakeAutoScalingGroup
    from moto.ec2.models.vpcs import VPCEndPoint
    from moto.ec2.responses.instances import InstanceResponse
    from moto.iam.policy_validation import IAMPolicyDocumentValidator
    from moto.s3.models import FakeBucket, S3Backend

    IAMPolicyDocumentValidator._validate_version = lambda self: None
    init = VPCEndPoint.__init__

    def made(self: VPCEndPoint, *given: Any, **more: Any) -> None:
        init(self, *given, **more)
        self.vpc_endpoint_type = self.vpc_endpoint_type or "Gateway"

    VPCEndPoint.__init__ = made  # type: ignore[method-assign]
    enable = FakeAutoScalingGroup.enable_metrics_collection
    FakeAutoScalingGroup.enable_metrics_collection = lambda self, metrics: enable(self, metrics or METRICS)  # type: ignore[method-assign]
    S3Backend.log_incoming_request = lambda *_: None
    refuse = InstanceResponse._validate_block_device_mapping

    def validate(device: dict[str, Any]) -> None:
        if "VirtualName" in device:
            device["NoDevice"] = ""
        elif "Ebs" in device and not device["Ebs"].get("SnapshotId"):
            device["Ebs"].setdefault("VolumeSize", SIZE)
        refuse(device)

    InstanceResponse._validate_block_device_mapping = staticmethod(validate)
    for name in ("_log_permissions_enabled_policy", "_log_permissions_enabled_acl"):
        if hasattr(FakeBucket, name):
            setattr(FakeBucket, name, staticmethod(lambda **_: True))


def _teach_devices() -> None:
    from moto.ec2.models.instances import Instance

    attach = Instance.add_block_device

    def attached(self: Instance, size: int | None, *given: Any, **more: Any) -> None:
        from_snapshot = given[1] if len(given) > 1 else more.get("snapshot_id")
        attach(self, size if size or from_snapshot else SIZE, *given, **more)  # type: ignore[arg-type]

    Instance.add_block_device = attached  # type: ignore[method-assign,assignment]


def _teach_apis() -> None:
    from moto.apigateway.models import APIGatewayBackend, DomainName, RestAPI
    from moto.apigateway.responses import APIGatewayResponse

    create, show = APIGatewayBackend.create_domain_name, DomainName.to_json
    answer = APIGatewayResponse.create_domain_name
    delete = RestAPI.delete_deployment
    given = threading.local()

    def deleted(self: RestAPI, deployment_id: str) -> Any:
        if all(stage.deployment_id != deployment_id for stage in self.stages.values()):
            self.deployments[deployment_id].stage_name = None
        return delete(self, deployment_id)

    def created(self: APIGatewayBackend, *about: Any) -> DomainName:
        made = create(self, *about)
        made.mutual_tls = given.mutual_tls  # type: ignore[attr-defined]
        self.base_path_mappings.setdefault(made.domain_name, {})
        return made

    def answered(self: APIGatewayResponse) -> Any:
        given.mutual_tls = self._get_param("mutualTlsAuthentication")
        return answer(self)

    def shown(self: DomainName) -> dict[str, Any]:
        mutual = getattr(self, "mutual_tls", None)
        return show(self) | ({"mutualTlsAuthentication": mutual} if mutual else {})

    APIGatewayBackend.create_domain_name = created  # type: ignore[method-assign]
    APIGatewayResponse.create_domain_name = answered  # type: ignore[method-assign]
    DomainName.to_json = shown  # type: ignore[method-assign]
    RestAPI.delete_deployment = deleted  # type: ignore[method-assign]


def _teach_functions() -> None:
    from moto.awslambda.models import LambdaFunction

    invoke = LambdaFunction._invoke_lambda

    def invoked(self: LambdaFunction, event: Any) -> Any:
        if not isinstance(event, dict) or "ResponseURL" not in event:
            return invoke(self, event)
        # The answer comes through the server that waits for this call.
        threading.Thread(target=_answer, args=(event, self.account_id), daemon=True).start()
        return "null", False, ""

    LambdaFunction._invoke_lambda = invoked  # type: ignore[method-assign]


def _answer(request: dict[str, Any], account_id: str) -> None:
    """Answer a custom resource as its function would."""
    told = {name: request[name] for name in ("RequestId", "StackId", "LogicalResourceId")}
    told |= {"Status": "SUCCESS", "PhysicalResourceId": request.get("PhysicalResourceId", request["LogicalResourceId"])}
    told["Data"] = _attributes(account_id).get(request["LogicalResourceId"], {})
    urllib3.PoolManager().request("PUT", request["ResponseURL"], body=json.dumps(told), headers={"Content-Type": ""})


def _attributes(account_id: str) -> dict[str, Any]:
    """The attributes that the corpus keeps for custom resources; none where the emulator serves another user."""
    from moto.s3.models import s3_backends

    bucket = s3_backends[account_id]["aws"].buckets.get(BUCKET)
    kept = bucket.keys.get(ATTRIBUTES) if bucket is not None else None
    return dict(json.loads(kept.value)) if kept is not None else {}


def _teach_layers() -> None:
    from moto.awslambda.models import LambdaFunction

    known = LambdaFunction._get_layers_data

    def layers(self: LambdaFunction, arns: list[str]) -> list[Any]:
        told = []
        for arn in arns:
            is_ours = arn.split(":")[4] == self.account_id
            told += known(self, [arn]) if is_ours else [{"Arn": arn, "CodeSize": 1024}]
        return told

    LambdaFunction._get_layers_data = layers  # type: ignore[method-assign]


def _teach_pipelines() -> None:
    from moto.codepipeline.models import CodePipelineBackend

    create = CodePipelineBackend.create_pipeline

    def created(self: CodePipelineBackend, pipeline: dict[str, Any], tags: Any) -> Any:
        role = next((one for one in self.iam_backend.roles.values() if one.arn == pipeline["roleArn"]), None)
        if role is None:
            return create(self, pipeline, tags)
        trust = role.assume_role_policy_document
        role.assume_role_policy_document = json.dumps({"Statement": _by_service(json.loads(trust)["Statement"])})
        try:
            return create(self, pipeline, tags)
        finally:
            role.assume_role_policy_document = trust

    CodePipelineBackend.create_pipeline = created  # type: ignore[method-assign]


def _teach_parameters() -> None:
    from moto.core.utils import utcnow
    from moto.ssm.models import Parameter, SimpleSystemManagerBackend

    read = SimpleSystemManagerBackend.get_parameters

    def parameters(self: SimpleSystemManagerBackend, names: list[str]) -> dict[str, Parameter]:
        for one in names:
            if one.startswith(PUBLIC) and one not in self._parameters:
                about = {"description": None, "allowed_pattern": None, "keyid": None, "last_modified_date": utcnow()}
                image = Parameter(self.account_id, one, IMAGE, "String", version=1, data_type="text", **about)
                self._parameters[one].append(image)
        return read(self, names)

    SimpleSystemManagerBackend.get_parameters = parameters  # type: ignore[method-assign]
    create = SimpleSystemManagerBackend.create_document

    def created(self: SimpleSystemManagerBackend, **given: Any) -> Any:
        return create(self, **given | {"document_type": given["document_type"] or "Command"})

    SimpleSystemManagerBackend.create_document = created  # type: ignore[method-assign]


if __name__ == "__main__":
    teach()
    sys.exit(emulator.main())
