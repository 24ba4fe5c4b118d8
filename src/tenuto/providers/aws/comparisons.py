"""The comparisons of values that are AWS's own: policies, and protocols of rules."""

from tenuto.model.spelling import Documents, Retelling, Words

_ANYBODY = "*"

POLICY = Documents(
    # IAM stores a bare account id in a principal as the ARN of its root.
    texts=(r"arn:[\w-]+:iam::(?P<same>\d{12}):root",),
    # IAM's reference of principals says that both mean anybody.
    members={name: ({"AWS": _ANYBODY}, _ANYBODY) for name in ("Principal", "NotPrincipal")},
)
"""A policy document: text or mapping, and single strings equal lists of one."""

WORDS = Retelling(
    qualified=r"arn:[\w-]+:[\w-]+:[\w-]*:\d*:(?P<rest>.+)",
    # The schemas of AWS have no other names for the key of a setting.
    keys=("Key", "Name", "OptionName", "ParameterName", "AttributeName", "Namespace"),
    latest="latest",
)
"""The words of services of which nothing but a schema is known."""

PROTOCOL = Words(same={"all": "-1", "1": "icmp", "6": "tcp", "17": "udp", "58": "icmpv6"}, is_folded=True)
"""An IP protocol: EC2 answers some by name, by whatever number or word they were declared with (IANA's numbers)."""
