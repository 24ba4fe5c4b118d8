"""The types that the compiler writes in place of custom resources of the CDK, which AWS has no types for.

A custom resource of a user cannot have such a name: the text after `Custom::` has no colons there.
"""

from tenuto.model.ids import TypeName

BUCKET_NOTIFICATIONS = TypeName("Custom::CDK::BucketNotifications")
LOG_RETENTION = TypeName("Custom::CDK::LogRetention")
CDK_TYPES = frozenset({BUCKET_NOTIFICATIONS, LOG_RETENTION})
EVENT_BRIDGE = "EventBridge"
"""The property by which a bucket tells EventBridge; absent where that is not the resource's own to say."""
TARGETS = ("LambdaFunctionConfigurations", "QueueConfigurations", "TopicConfigurations")
"""The lists of notifications, in the words of S3, which the CDK uses."""
