"""AWS::Lambda::EventSourceMapping. Its Ref is the id that Lambda makes."""

from tenuto.model.ids import Json
from tenuto.model.resource import Comparison
from tenuto.providers.aws.blocks.block import block
from tenuto.providers.aws.blocks.calls import Listed, State
from tenuto.providers.aws.naming import KMS_KEY
from tenuto.providers.aws.types.lambda_names import QUALIFIED_FUNCTION, lambda_tags

_OFF = ("Disabled", "Disabling")


def _is_on(mapping: Json) -> bool:
    return mapping.get("State") not in _OFF


_OWN = "SelfManagedEventSource"


def _given(source: Json) -> Json:
    """A source of one's own with its servers as the calls name them."""
    return {
        "Endpoints": {"KAFKA_BOOTSTRAP_SERVERS": (source.get("Endpoints") or {}).get("KafkaBootstrapServers") or []}
    }


EVENT_SOURCE_MAPPING = block(
    "AWS::Lambda::EventSourceMapping",
    "lambda",
    key="UUID",
    listed=Listed(operation="ListEventSourceMappings", id="UUID", size=100),
    create="CreateEventSourceMapping",
    made="UUID",
    renamed={"KmsKeyArn": "KMSKeyArn"},
    shown={
        "Enabled": _is_on,
        "FunctionName": "FunctionArn",
        _OWN: f"{_OWN}.Endpoints.KAFKA_BOOTSTRAP_SERVERS && "
        f"{{Endpoints: {{KafkaBootstrapServers: {_OWN}.Endpoints.KAFKA_BOOTSTRAP_SERVERS}}}}",
    },
    sent_as={_OWN: _given},
    attributes={"Id": "UUID"},
    modify={"UpdateEventSourceMapping": "*"},
    delete="DeleteEventSourceMapping",
    state=State(
        at="State", pending="Creating Enabling Disabling Updating", going="Deleting", reason="StateTransitionReason"
    ),
    tags=lambda_tags("EventSourceMappingArn"),
    # Lambda takes them at the creation only, although the schema does not say so.
    create_only="Queues Topics",
    defaults={
        "BisectBatchOnFunctionError": False,
        "Enabled": True,
        "FilterCriteria": {"Filters": []},
        "FunctionResponseTypes": [],
        "MaximumBatchingWindowInSeconds": 0,
        "MaximumRecordAgeInSeconds": -1,
        "MaximumRetryAttempts": -1,
        "ParallelizationFactor": 1,
        "TumblingWindowInSeconds": 0,
    },
    compare_as={"FunctionName": QUALIFIED_FUNCTION, "FunctionResponseTypes": Comparison.SET, "KmsKeyArn": KMS_KEY},
)
TYPES = (EVENT_SOURCE_MAPPING,)
