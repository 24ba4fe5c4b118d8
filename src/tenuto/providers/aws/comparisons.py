"""The comparisons of values that are AWS's own: policies, and protocols of rules."""

from tenuto.model.resource import Comparison
from tenuto.model.spelling import Documents, Retelling, Words

_ANYBODY = "*"

POLICY = Documents(
    # IAM stores a bare account id in a principal as the ARN of its root.
    texts=(r"arn:[\w-]+:iam::(?P<same>\d{12}):root",),
    # IAM's reference of principals says that both mean every principal.
    members={name: ({"AWS": _ANYBODY}, _ANYBODY) for name in ("Principal", "NotPrincipal")},
)
"""A policy document: text or mapping, and single strings equal lists of one."""

WORDS = Retelling(
    qualified=r"arn:[\w-]+:(?P<service>[\w-]+):[\w-]*:\d*:(?P<rest>.+)",
    # All streams of a log group, and the version of a function that an unqualified name means.
    suffix=r":(\*|\$latest)$",
    # A path of Route 53 or of a bucket; an attribute that a user pool was given.
    prefixes=r"/|/\w+/|custom:",
    account=r"arn:[\w-]+:iam::(?P<same>\d{12}):root",
    # The schemas of AWS have no other names for the key of a setting.
    keys=("Key", "Name", "OptionName", "ParameterName", "AttributeName", "Namespace"),
    settings=r"\w*(Attributes|Settings|Parameters)|AdvancedOptions",
    lists=r"Schema",
    latest=frozenset({"latest", "$latest", "$default"}),
    nothing=frozenset({"", "false", "none", "null", "disabled", "off"}),
    operators={
        "eq": "equals",
        "neq": "notequals",
        "gt": "greaterthan",
        "gte": "greaterthanorequal",
        "lt": "lessthan",
        "lte": "lessthanorequal",
    },
    documents=POLICY,
    policies=frozenset({"Statement"}),
    # The words of a program; the first rule, behaviour or route that fits; layers and columns, which come one upon or
    # after another; servers that are asked in turn.
    ordered=(
        r"(\w*Command|EntryPoint|\w*Args|\w*Arguments|Layers|\w*CacheBehaviors|Cors(Rules|Configuration)|RoutingRules"
        r"|Columns|PartitionKeys|DomainNameServers|Stages|Steps|\w*PlacementStrategies)"
    ),
    value="Value",
    verbatim=r"(\w*EnvironmentVariables|Environment|\w*Command|EntryPoint|\w*Args|\w*Arguments)",
)
"""The words of services of which nothing but a schema is known."""

PROTOCOL = Words(same={"all": "-1", "1": "icmp", "6": "tcp", "17": "udp", "58": "icmpv6"}, is_folded=True)
"""An IP protocol: EC2 answers some by name, also where another word or a number (IANA's) was declared."""

CLUSTER_ZONES = {"AvailabilityZones": Comparison.MEMBERS}
"""The zones of a cluster of databases: it has three, independent of the declared ones, and can change none of them."""
