"""The values of types without a block that AWS shows in another form, or with members of its own.

Theory of operation. A schema says which texts a property takes, and not which of them mean the same, nor to which list
a service adds. What the general comparison of sent values cannot know either is here, by type and path. A type that
gets a block says it there, and leaves the table.
"""

from collections.abc import Mapping

from tenuto.model.resource import Comparison, Rule
from tenuto.providers.aws.types.sizes import sizes

WORDS_OF: Mapping[str, Mapping[str, Rule]] = {
    # https://docs.aws.amazon.com/apprunner/latest/api/API_InstanceConfiguration.html
    "AWS::AppRunner::Service": {
        "InstanceConfiguration.Cpu": sizes("vcpu", (0.25, 0.5, 1, 2, 4)),
        "InstanceConfiguration.Memory": sizes("gb", (0.5, 1, 2, 3, 4, 6, 8, 10, 12)),
    },
    # https://docs.aws.amazon.com/guardduty/latest/APIReference/API_GetDetector.html tells every feature that there is.
    "AWS::GuardDuty::Detector": {
        "Features": Comparison.MEMBERS,
        "Features.AdditionalConfiguration": Comparison.MEMBERS,
    },
}
