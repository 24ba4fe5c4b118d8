"""Properties that AWS takes only together, or only apart, where the schema of their type does not say so.

Theory of operation. A rule is data: the mappings that it is about, when it counts, and what is needed or excluded then.
It counts only by values that stand in the file: one that is known when the composition runs is left to AWS, and so is
a property that an open expression may take out. Only what the creation is refused for is here, by the documentation of
the type: a false error is worse than a late one.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from tenuto.compositions.diagnostics import codes
from tenuto.compositions.diagnostics.nodes import Entry, Fields, Items, Scalar, nodes_at
from tenuto.compositions.diagnostics.problems import Problems
from tenuto.model.diagnostic import Position

ABSENT = ""
"""The word of a condition for a property that is not declared."""
DECLARED = "*"
"""The word for one that is declared, whatever its value."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Companions:
    """One rule about the properties of one mapping.

    `path` leads to the mappings, with a star for the members of a list; empty for the properties of the resource.
    `when` has the words, in small letters, of which each of these properties, or dotted members of them, must have
    one. `needs` must be declared then, and of `needs_one` any; `excludes` must not. `or_else` is another way out.
    """

    path: str = ""
    when: Mapping[str, frozenset[str]] = field(default_factory=dict)
    needs: tuple[str, ...] = ()
    needs_one: tuple[str, ...] = ()
    excludes: tuple[str, ...] = ()
    or_else: str = ""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split(" "))


def _ports(path: str = "") -> Companions:
    return Companions(path=path, when={"IpProtocol": _words("tcp udp 6 17")}, needs=("FromPort", "ToPort"))


_ZIP = {"PackageType": frozenset({ABSENT, "zip"}), "Code.ImageUri": frozenset({ABSENT})}
_RULES: Mapping[str, tuple[Companions, ...]] = {
    "AWS::CloudWatch::Alarm": (
        Companions(
            when={"MetricName": frozenset({DECLARED})},
            needs=("Namespace", "Period"),
            needs_one=("Statistic", "ExtendedStatistic"),
        ),
    ),
    "AWS::DynamoDB::Table": (
        Companions(when={"BillingMode": frozenset({"pay_per_request"})}, excludes=("ProvisionedThroughput",)),
        Companions(
            when={"BillingMode": frozenset({ABSENT, "provisioned"})},
            needs=("ProvisionedThroughput",),
            or_else="declare BillingMode: PAY_PER_REQUEST",
        ),
    ),
    "AWS::EC2::SecurityGroup": (
        _ports("SecurityGroupIngress.*"),
        _ports("SecurityGroupEgress.*"),
    ),
    "AWS::EC2::SecurityGroupEgress": (_ports(),),
    "AWS::EC2::SecurityGroupIngress": (_ports(),),
    "AWS::EC2::VPCGatewayAttachment": (Companions(needs_one=("InternetGatewayId", "VpnGatewayId")),),
    "AWS::ECS::TaskDefinition": (
        Companions(when={"RequiresCompatibilities": frozenset({"fargate"})}, needs=("Cpu", "Memory", "NetworkMode")),
    ),
    "AWS::ElasticLoadBalancingV2::Listener": (
        Companions(when={"Protocol": _words("https tls")}, needs=("Certificates",)),
    ),
    "AWS::Lambda::Function": (Companions(when=_ZIP, needs=("Handler", "Runtime")),),
    "AWS::Route53::RecordSet": (
        Companions(when={"AliasTarget": frozenset({ABSENT})}, needs=("TTL",)),
        Companions(when={"ResourceRecords": frozenset({ABSENT})}, excludes=("TTL",)),
    ),
    "AWS::SQS::Queue": (
        Companions(
            when={"FifoQueue": frozenset({ABSENT, "false"}), "ContentBasedDeduplication": frozenset({"true"})},
            excludes=("ContentBasedDeduplication",),
        ),
    ),
}
"""By type. The pages of the properties, in the reference of templates of CloudFormation, say each of them."""


def check_companions(type_name: str, properties: Fields, subject: str, problems: Problems, at: Position) -> None:
    """Report what lacks another property, or excludes one. `at` is where something missing is shown that has no
    neighbour."""
    for rule in _RULES.get(type_name, ()):
        for where, mapping, _ in nodes_at(properties, rule.path.split(".") if rule.path else ()):
            if not isinstance(mapping, Fields):
                continue
            reasons = [_reason(mapping, name, words) for name, words in rule.when.items()]
            if None not in reasons:
                ending = f" where {' and '.join(str(one) for one in reasons)}." if reasons else "."
                _Judge(type_name, f"{subject}.{where}".rstrip("."), ending, problems).judge(rule, mapping, at)


@dataclass(frozen=True, slots=True)
class _Judge:
    """The report about one mapping: its type, its path, and the end of each sentence."""

    type_name: str
    subject: str
    ending: str
    problems: Problems

    def judge(self, rule: Companions, mapping: Fields, at: Position) -> None:
        first = next((entry.key.position for name in rule.when if (entry := mapping.entry(name))), mapping.position)
        place = first if mapping.entries else at
        other = f", or {rule.or_else}." if rule.or_else else "."
        for name in rule.needs:
            if mapping.entry(name) is None:
                self._tell(codes.MISSING_COMPANION, place, f"needs {name}", f"Add {name}{other}", name)
        if rule.needs_one and not any(mapping.entry(name) for name in rule.needs_one):
            self._tell(codes.NO_ALTERNATIVE, place, f"needs {' or '.join(rule.needs_one)}", "Add one of them.")
        for name in rule.excludes:
            if (entry := mapping.entry(name)) is not None:
                self._tell(codes.EXCLUSIVE, entry.key.position, f"takes no {name}", f"Remove {name}.", name)

    def _tell(self, code: codes.Code, at: Position, told: str, hint: str, name: str = "") -> None:
        subject = f"{self.subject}.{name}".rstrip(".")
        self.problems.add(code, at, f"{self.type_name} {told}{self.ending}", hint=hint, subject=subject)


def _reason(mapping: Fields, path: str, words: frozenset[str]) -> str | None:
    """The condition in words where it holds; None where it does not, or is not known."""
    name, _, rest = path.partition(".")
    entry = mapping.entry(name)
    if entry is None:
        return f"{path} is not declared" if ABSENT in words else None
    if rest:
        return _reason(entry.value, rest, words) if isinstance(entry.value, Fields) else None
    if DECLARED in words:
        return f"{name} is declared"
    found = _text(entry)
    return f"{name} is {found}" if found is not None and found.lower() in words else None


def _text(entry: Entry) -> str | None:
    """The word of a property, or the only one of a list; None for one that is not known."""
    value = entry.value
    if isinstance(value, Items) and len(value.items) == 1:
        value = value.items[0]
    return value.text if isinstance(value, Scalar) else None
