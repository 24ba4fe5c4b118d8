"""The values of types without a block for which AWS documents two forms, and shows one of them.

Theory of operation. A schema says which texts a property takes, and not which of them mean the same. The forms that the
general comparison of sent values cannot know either are here, by type and path. A type that gets a block says it there,
and leaves the table.
"""

from collections.abc import Mapping

from tenuto.model.resource import Rule
from tenuto.providers.aws.types.sizes import sizes

WORDS_OF: Mapping[str, Mapping[str, Rule]] = {
    # https://docs.aws.amazon.com/apprunner/latest/api/API_InstanceConfiguration.html
    "AWS::AppRunner::Service": {
        "InstanceConfiguration.Cpu": sizes("vcpu", (0.25, 0.5, 1, 2, 4)),
        "InstanceConfiguration.Memory": sizes("gb", (0.5, 1, 2, 3, 4, 6, 8, 10, 12)),
    },
}
