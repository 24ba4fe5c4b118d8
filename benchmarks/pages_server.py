"""An EC2 that can only be looked at: canned pages of many groups, rules and subnets, made once, served from memory.

It runs in a process of its own (`python -m benchmarks.pages_server N`), tells its address on its standard output, and
ends when its standard input is closed. `GET /turn` changes the tags of one group in a hundred. The request id is new
in every answer, as it is on AWS.
"""

import itertools
import os
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs

PAGE = 1000
_NAMESPACE = "http://ec2.amazonaws.com/doc/2016-11-15/"
_LISTS = {
    "DescribeSecurityGroups": "securityGroupInfo",
    "DescribeSecurityGroupRules": "securityGroupRuleSet",
    "DescribeSubnets": "subnetSet",
}
_ZONES = (
    "<availabilityZoneInfo><item><zoneName>us-east-1a</zoneName><zoneState>available</zoneState>"
    "<regionName>us-east-1</regionName><optInStatus>opt-in-not-required</optInStatus></item></availabilityZoneInfo>"
)
_IDENTITY = (
    '<GetCallerIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><GetCallerIdentityResult>'
    "<Arn>arn:aws:iam::123456789012:user/bench</Arn><UserId>U</UserId><Account>123456789012</Account>"
    "</GetCallerIdentityResult><ResponseMetadata><RequestId>r</RequestId></ResponseMetadata></GetCallerIdentityResponse>"
)


class Pages:
    """The items of each list, as text."""

    def __init__(self, size: int) -> None:
        self._numbers = itertools.count(1)
        self._turn = 0
        self.lists = {
            "DescribeSecurityGroups": [_group(number, "one") for number in range(size)],
            "DescribeSecurityGroupRules": [_rule(number, side) for number in range(size) for side in (0, 1)],
            "DescribeSubnets": [_subnet(number) for number in range(size)],
        }

    def turn(self) -> None:
        self._turn += 1
        groups = self.lists["DescribeSecurityGroups"]
        for number in range(0, len(groups), 100):
            groups[number] = _group(number, f"turn {self._turn}")

    def answer(self, action: str, token: str) -> bytes:
        if action == "GetCallerIdentity":
            return _IDENTITY.encode()
        if action == "DescribeAvailabilityZones":
            return self._told(action, _ZONES)
        if action not in _LISTS:
            return self._told(action, "<networkAclSet></networkAclSet>")
        items, start = self.lists[action], int(token or 0)
        more = f"<nextToken>{start + PAGE}</nextToken>" if start + PAGE < len(items) else ""
        name = _LISTS[action]
        return self._told(action, f"<{name}>{''.join(items[start : start + PAGE])}</{name}>{more}")

    def _told(self, action: str, text: str) -> bytes:
        request_id = f"<requestId>{next(self._numbers):08}-0000-4000-8000-000000000000</requestId>"
        return f'<{action}Response xmlns="{_NAMESPACE}">{request_id}{text}</{action}Response>'.encode()


def _group(number: int, stage: str) -> str:
    return (
        f"<item><ownerId>123456789012</ownerId><groupId>sg-{number:017x}</groupId><groupName>group-{number}</groupName>"
        f"<groupDescription>web</groupDescription><vpcId>vpc-{number // 10:017x}</vpcId><ipPermissions>"
        "<item><ipProtocol>tcp</ipProtocol><fromPort>443</fromPort><toPort>443</toPort><groups/><ipRanges><item>"
        "<cidrIp>10.0.0.0/8</cidrIp></item></ipRanges><ipv6Ranges/><prefixListIds/></item></ipPermissions>"
        "<ipPermissionsEgress><item><ipProtocol>-1</ipProtocol><groups/><ipRanges><item><cidrIp>0.0.0.0/0</cidrIp>"
        f"</item></ipRanges><ipv6Ranges/><prefixListIds/></item></ipPermissionsEgress>{_tags(number, stage)}</item>"
    )


def _rule(number: int, egress: int) -> str:
    what = "<ipProtocol>-1</ipProtocol>" if egress else "<ipProtocol>tcp</ipProtocol><fromPort>443</fromPort>"
    to = "" if egress else "<toPort>443</toPort>"
    cidr = "0.0.0.0/0" if egress else "10.0.0.0/8"
    return (
        f"<item><securityGroupRuleId>sgr-{number:016x}{egress}</securityGroupRuleId><groupId>sg-{number:017x}</groupId>"
        f"<groupOwnerId>123456789012</groupOwnerId><isEgress>{'true' if egress else 'false'}</isEgress>{what}{to}"
        f"<cidrIpv4>{cidr}</cidrIpv4><tagSet/></item>"
    )


def _subnet(number: int) -> str:
    return (
        f"<item><subnetId>subnet-{number:017x}</subnetId><state>available</state><vpcId>vpc-{number // 10:017x}</vpcId>"
        f"<cidrBlock>10.{number // 250 % 250}.{number % 250}.0/24</cidrBlock><ipv6CidrBlockAssociationSet/>"
        "<availableIpAddressCount>251</availableIpAddressCount><availabilityZone>us-east-1a</availabilityZone>"
        "<availabilityZoneId>use1-az1</availabilityZoneId><defaultForAz>false</defaultForAz>"
        "<mapPublicIpOnLaunch>false</mapPublicIpOnLaunch><assignIpv6AddressOnCreation>false"
        f"</assignIpv6AddressOnCreation><ownerId>123456789012</ownerId>{_tags(number, 'one')}</item>"
    )


def _tags(number: int, stage: str) -> str:
    tags = {
        "Name": f"thing-{number}",
        "Stage": stage,
        "tenuto:process": "0d9a6c6e-9fd5-4b43-8f6f-1f6c3d1f5a11",
        "tenuto:resource": f"Thing{number}",
        "tenuto:object": f"{number:032x}",
    }
    items = "".join(f"<item><key>{key}</key><value>{value}</value></item>" for key, value in tags.items())
    return f"<tagSet>{items}</tagSet>"


def main() -> None:
    pages = Pages(int(sys.argv[1]))

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_GET(self) -> None:
            pages.turn()
            self._send(b"turned")

        def do_POST(self) -> None:
            form = parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
            self._send(pages.answer(form["Action"][0], form.get("NextToken", [""])[0]))

        def _send(self, body: bytes) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/xml;charset=UTF-8")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002
            """Nobody reads it."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(f"http://127.0.0.1:{server.server_address[1]}", flush=True)
    sys.stdin.read()
    os._exit(0)


if __name__ == "__main__":
    main()
