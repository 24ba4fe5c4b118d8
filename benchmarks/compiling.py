"""How long a template takes to compile, as YAML and as JSON. The design allows 500 resources 2 seconds.

The first compilation reads the schemas; the second finds them read.
"""

import json
from typing import Any

from benchmarks.measuring import cost_of
from tenuto.compositions.compile import compile_text


def template(count: int) -> dict[str, object]:
    """Networks of seven resources each, with references, joins and conditions as people write them."""
    resources: dict[str, object] = {}
    for number in range(count // 7 + 1):
        name = f"N{number}"
        tags = [{"Key": "Name", "Value": {"Fn::Sub": f"${{AWS::StackName}}-${{Stage}}-{number}"}}]
        vpc = {"Ref": f"{name}Vpc"}
        resources |= {
            f"{name}Vpc": _resource("VPC", CidrBlock={"Fn::FindInMap": ["Net", "main", "cidr"]}, Tags=tags),
            f"{name}Subnet": _resource(
                "Subnet",
                VpcId=vpc,
                CidrBlock={
                    "Fn::Select": [number % 8, {"Fn::Cidr": [{"Fn::GetAtt": [f"{name}Vpc", "CidrBlock"]}, 8, 8]}]
                },
                AvailabilityZone={"Fn::Select": [0, {"Fn::GetAZs": ""}]},
                MapPublicIpOnLaunch={"Fn::If": ["IsProd", "false", "true"]},
                Tags=tags,
            ),
            f"{name}Gate": _resource("InternetGateway", Tags=tags),
            f"{name}Link": _resource("VPCGatewayAttachment", VpcId=vpc, InternetGatewayId={"Ref": f"{name}Gate"}),
            f"{name}Table": _resource("RouteTable", VpcId=vpc, Tags=tags),
            f"{name}Route": _resource(
                "Route",
                RouteTableId={"Ref": f"{name}Table"},
                DestinationCidrBlock="0.0.0.0/0",
                GatewayId={"Ref": f"{name}Gate"},
            ),
            f"{name}Group": _resource(
                "SecurityGroup",
                VpcId=vpc,
                GroupDescription="web",
                SecurityGroupIngress=[
                    {"IpProtocol": "tcp", "FromPort": port, "ToPort": port, "CidrIp": "10.0.0.0/8"}
                    for port in (22, 80, 443)
                ],
            ),
        }
    return {
        "Parameters": {"Stage": {"Type": "String", "Default": "test", "AllowedValues": ["test", "prod"]}},
        "Mappings": {"Net": {"main": {"cidr": "10.0.0.0/16"}}},
        "Conditions": {"IsProd": {"Fn::Equals": [{"Ref": "Stage"}, "prod"]}},
        "Resources": dict(list(resources.items())[:count]),
    }


def _resource(kind: str, **properties: object) -> dict[str, object]:
    return {"Type": f"AWS::EC2::{kind}", "Properties": properties}


def block_style(value: object, indent: int = 0) -> str:
    """YAML with a key or an item on each line, as people write it."""
    pad = "  " * indent
    if isinstance(value, dict) and value:
        return "".join(f"\n{pad}{key}:{block_style(member, indent + 1)}" for key, member in value.items())
    if isinstance(value, list) and value:
        return "".join(f"\n{pad}-{block_style(member, indent + 1)}" for member in value)
    return f" {json.dumps(value)}"


def compiling(size: int) -> list[dict[str, Any]]:
    document = template(size)
    rows: list[dict[str, Any]] = []
    for kind, text in (("YAML", block_style(document).lstrip()), ("JSON", json.dumps(document, indent=1))):

        def compiled(text: str = text) -> None:
            compile_text(text, file="benchmark", parameters={}, region="us-east-1")

        for turn in ("first", "second"):
            cost = cost_of(compiled)
            lines = text.count("\n")
            seconds = {"cpu s": cost.cpu_s, "wall s": cost.wall_s}
            rows.append({"step": f"{kind}, {turn}", "resources": size, "lines": lines, **seconds})
    return rows
