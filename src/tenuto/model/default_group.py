"""The property of a VPC that says that its default security group has no rules.

CloudFormation has no such property; the CDK does it with a function (`Custom::VpcRestrictDefaultSG`). The compiler
writes the property in place of that, and no template can declare it.
"""

RESTRICT_DEFAULT_GROUP = "RestrictDefaultSecurityGroup"
