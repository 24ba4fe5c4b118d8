"""AWS::AmazonMQ::Broker. Its Ref is its id.

Amazon MQ never shows the passwords of users, and the users of a composition are those that a broker is made with:
another list needs another broker. A change takes effect when the broker restarts, by itself in its window.
"""

from tenuto.model.resource import Comparison
from tenuto.providers.aws.blocks.block import block
from tenuto.providers.aws.blocks.calls import Call, Described, Listed, State
from tenuto.providers.aws.naming import KMS_KEY
from tenuto.providers.aws.types.named import Named
from tenuto.providers.aws.types.tag_calls import TagCalls

_LISTED = Listed(operation="ListBrokers", id="BrokerId", size=100)
_UPDATE = "UpdateBroker"
_CHANGED = (
    "AuthenticationStrategy AutoMinorVersionUpgrade DataReplicationMode HostInstanceType LdapServerMetadata Logs "
    "MaintenanceWindowStartTime SecurityGroups StorageSize"
)


def _endpoints(scheme: str) -> str:
    return f"BrokerInstances[].Endpoints[] | [?starts_with(@, '{scheme}')]"


BROKER = block(
    "AWS::AmazonMQ::Broker",
    "mq",
    key="BrokerId",
    listed=_LISTED,
    described=Described(call=Call("DescribeBroker"), anew=True),
    named=Named("BrokerName", 50),
    # No call is asked by name.
    beside=_LISTED,
    exclusive=[("BrokerName",)],
    create="CreateBroker",
    made="BrokerId",
    token="CreatorRequestId",
    modify={_UPDATE: f"{_CHANGED} Configuration EngineVersion"},
    delete="DeleteBroker",
    state=State(
        at="BrokerState",
        pending="CREATION_IN_PROGRESS REBOOT_IN_PROGRESS",
        going="DELETION_IN_PROGRESS",
        broken="CREATION_FAILED",
    ),
    attributes={
        "Arn": "BrokerArn",
        "Id": "$id",
        "AmqpEndpoints": _endpoints("amqp"),
        "ConfigurationId": "Configurations.Current.Id",
        "ConfigurationRevision": "Configurations.Current.Revision && to_string(Configurations.Current.Revision)",
        "ConsoleURLs": "BrokerInstances[].ConsoleURL",
        "EngineVersionCurrent": "EngineVersion",
        "IpAddresses": "BrokerInstances[].IpAddress",
        "MqttEndpoints": _endpoints("mqtt"),
        "OpenWireEndpoints": _endpoints("ssl"),
        "StompEndpoints": _endpoints("stomp"),
        "WssEndpoints": _endpoints("wss"),
    },
    interrupting="EngineVersion HostInstanceType",
    tags=TagCalls(
        service="mq",
        list_call="ListTags",
        put_call="CreateTags",
        remove_call="DeleteTags",
        id_name="ResourceArn",
        named=lambda _, one: one["BrokerArn"],
        shown_at="Tags",
        is_mapping=True,
    ),
    compare_as={
        "AuthenticationStrategy": Comparison.FOLDED,
        "DeploymentMode": Comparison.FOLDED,
        "EncryptionOptions.KmsKeyId": KMS_KEY,
        "EngineType": Comparison.FOLDED,
        "EngineVersion": Comparison.RELEASE,
        "LdapServerMetadata.ServiceAccountPassword": Comparison.SHOWN,
        "SecurityGroups": Comparison.SET,
        "StorageType": Comparison.FOLDED,
        "SubnetIds": Comparison.SET,
    },
    # Shares are another service's.
    create_only="DataReplicationPrimaryBrokerArn Users",
    refused={
        "ResourceShareArns": "Shares belong to another service: name the broker in an AWS::RAM::ResourceShare.",
    },
    bears_data=True,
)
TYPES = (BROKER,)
