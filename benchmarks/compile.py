"""How long a template of 500 resources takes to compile, as YAML and as JSON. Run: python benchmarks/compile.py

The limit that the design sets is 2 seconds, reading the schemas included.
"""

import json
import time

from tenuto.compositions import compile_text

RESOURCES = 500


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


def main() -> None:
    document = template(RESOURCES)
    for kind, text in (("YAML", block_style(document).lstrip()), ("JSON", json.dumps(document, indent=1))):
        for turn in ("first", "second"):
            start = time.perf_counter()
            compiled = compile_text(text, file="benchmark", parameters={}, region="us-east-1")
            seconds = time.perf_counter() - start
            count = len(compiled.composition.resources)
            lines = text.count("\n")
            print(f"{kind} {turn}: {count} resources, {lines:,} lines, {len(text):,} bytes in {seconds:.2f} s")


if __name__ == "__main__":
    main()
