"""The imports of a validation's author.

    from tenuto.validations import Violation, validation

    @validation("AWS::EC2::SecurityGroup")
    def not_open_to_the_world(group):
        for number, rule in enumerate(group.properties.get("SecurityGroupIngress", [])):
            if rule.get("CidrIp") == "0.0.0.0/0":
                yield Violation("Open to the whole world.", path=("SecurityGroupIngress", number, "CidrIp"))

`tenuto run FILE --validations RULES.py` asks every rule before anything is sent. docs/guide/rules.md tells more.
"""

from tenuto.compositions.validations.kit import (
    Resource,
    Unresolved,
    Validation,
    Violation,
    WholeComposition,
    validation,
)

__all__ = ["Resource", "Unresolved", "Validation", "Violation", "WholeComposition", "validation"]
