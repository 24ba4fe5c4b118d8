"""The default VPC that every region of every account has from the beginning, with a subnet in each zone."""

from tenuto_testing.cloud.call import Call
from tenuto_testing.cloud.families import ec2_gateway, ec2_subnet, ec2_vpc
from tenuto_testing.cloud.families.ec2_region import zones
from tenuto_testing.cloud.families.kinds import ROUTE_TABLE


def furnish(call: Call) -> None:
    """Put it there."""
    vpc = ec2_vpc.make(call, "172.31.0.0/16", is_default=True)
    for number, zone in enumerate(zones(call.region)):
        ec2_subnet.make(call, vpc, f"172.31.{16 * number}.0/20", zone, is_default=True)
    gateway = ec2_gateway.make(call, is_asked_for=False)
    ec2_gateway.attach(call, gateway, vpc.id)
    main = call.all(ROUTE_TABLE, vpc.id)[0]
    call.edit(main)["Routes"].append(
        {"DestinationCidrBlock": "0.0.0.0/0", "GatewayId": gateway.id, "Origin": "CreateRoute", "State": "active"}
    )
