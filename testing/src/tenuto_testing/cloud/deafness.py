"""An endpoint that does not listen: it answers any question with something that exists.

Some emulators do not know a filter or an id of EC2, and show everything; some proxies give the answer of a question
that was asked before. Here a bulk sweep of EC2 shows everything, and a read of one thing by its name shows the first
thing that was ever shown by such a read. A call that changes something is carried out as it is asked.
"""

from collections.abc import Mapping

from tenuto_testing.cloud.world import Data

_NARROWING = ("Filter", "Filters", "KeyNames")
_NAMES: Mapping[str, tuple[str, ...]] = {
    "DescribeInstanceAttribute": ("InstanceId",),
    "DescribeTable": ("TableName",),
    "DescribeVpcAttribute": ("VpcId",),
    "GetInstanceProfile": ("InstanceProfileName",),
    "GetParameter": ("Name",),
    "GetParameters": ("Names",),
    "GetPolicy": ("PolicyArn",),
    "GetQueueAttributes": ("QueueUrl",),
    "GetQueueUrl": ("QueueName",),
    "GetRole": ("RoleName",),
    "GetRolePolicy": ("RoleName", "PolicyName"),
    "GetSubscriptionAttributes": ("SubscriptionArn",),
    "GetTopicAttributes": ("TopicArn",),
    "ListInstanceProfilesForRole": ("RoleName",),
    "ListSubscriptionsByTopic": ("TopicArn",),
}
"""The parameters that say which thing a read is of, where the answer says it too. Where it does not, no caller could
tell.
"""


class Deafness:
    """The parameters that such an endpoint does not hear, and the names that it remembers. At first it listens like any
    other."""

    def __init__(self) -> None:
        self.to_filters = False
        """Whether it shows everything that EC2 has."""
        self.to_names = False
        """Whether it answers about the first thing."""
        self._shown: dict[tuple[str, str], Data] = {}

    def heard(self, service: str, action: str, parameters: Data) -> Data:
        """The parameters of a request that it hears."""
        if action in _NAMES:
            return {**parameters, **self._shown.get((service, action), {})} if self.to_names else parameters
        if self.to_filters and service == "ec2" and action.startswith("Describe"):
            return {
                name: value for name, value in parameters.items() if name not in _NARROWING and not name.endswith("Ids")
            }
        return parameters

    def note(self, service: str, action: str, parameters: Data) -> None:
        """Such a request was answered."""
        names = _NAMES.get(action, ())
        if names:
            self._shown.setdefault((service, action), {name: parameters[name] for name in names})
