"""AWS::Events: connections to addresses outside AWS, and the destinations that use them. The Ref of each is its name.

EventBridge keeps the parameters of an authorization in a secret, and shows a part of them. So a connection is not
compared by them: they are sent when others are declared.
"""

from collections.abc import Callable

from tenuto.model.ids import JsonMap
from tenuto.providers.aws.blocks.block import block
from tenuto.providers.aws.blocks.calls import Call, Described, Listed, State
from tenuto.providers.aws.naming import KMS_KEY
from tenuto.providers.aws.types.named import Named


def _for_policy(member: str) -> Callable[[JsonMap], str]:
    """The ARN that policies name: without the id at its end, which another thing of this name would not have."""
    return lambda shown: str(shown[member]).rpartition("/")[0]


CONNECTION = block(
    "AWS::Events::Connection",
    "events",
    key="Name",
    listed=Listed(operation="ListConnections", id="Name", members="Connections"),
    described=Described(call=Call("DescribeConnection"), anew=True),
    named=Named("Name", 64),
    create="CreateConnection",
    # EventBridge takes the parameters of the kind of authorization together with its name.
    modify={"UpdateConnection": "*"},
    delete="DeleteConnection",
    # One that could not be authorized is there: the user who gives the keys must look at them.
    state=State(
        at="ConnectionState",
        pending="CREATING UPDATING AUTHORIZING DEAUTHORIZING",
        going="DELETING",
        ends_at_once=True,
    ),
    attributes={"Arn": "ConnectionArn", "ArnForPolicy": _for_policy("ConnectionArn"), "SecretArn": "SecretArn"},
    write_only="AuthParameters",
    compare_as={"KmsKeyIdentifier": KMS_KEY},
    defaults={"Description": ""},
)

DESTINATION = block(
    "AWS::Events::ApiDestination",
    "events",
    key="Name",
    listed=Listed(operation="ListApiDestinations", id="Name", members="ApiDestinations"),
    described=Described(call=Call("DescribeApiDestination")),
    named=Named("Name", 64),
    create="CreateApiDestination",
    modify={"UpdateApiDestination": "*"},
    delete="DeleteApiDestination",
    attributes={"Arn": "ApiDestinationArn", "ArnForPolicy": _for_policy("ApiDestinationArn")},
    defaults={"Description": "", "InvocationRateLimitPerSecond": 300},
)
TYPES = (CONNECTION, DESTINATION)
