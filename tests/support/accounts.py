"""An installation in front of an emulated AWS that keeps accounts apart."""

from typing import Any

from aws_sessions import open_session
from live import Live

OWN = "123456789012"
"""The account of credentials that the emulator does not know."""
PRODUCTION = "333333333333"


class Accounts(Live):
    """An installation whose AWS configuration has a profile, and strangers in every account."""

    @property
    def environment(self) -> dict[str, str]:
        return super().environment | {"AWS_CONFIG_FILE": str(self.folder / "aws-config")}

    def write_profile(self, account_id: str) -> None:
        """Give the profile `production` the keys of a user of an account."""
        user = self.inside(account_id, "iam", "us-east-1")
        user.create_user(UserName="tenuto")
        key = user.create_access_key(UserName="tenuto")["AccessKey"]
        (self.folder / "aws-config").write_text(
            f"[profile production]\naws_access_key_id = {key['AccessKeyId']}\n"
            f"aws_secret_access_key = {key['SecretAccessKey']}\n"
        )

    def inside(self, account_id: str, service: str, region: str) -> Any:
        """A client of somebody else in an account."""
        session = open_session()
        session.set_credentials("test", "test")
        if account_id != OWN:
            sts = session.create_client("sts", region_name=region, endpoint_url=self.endpoint)
            role = f"arn:aws:iam::{account_id}:role/stranger"
            given = sts.assume_role(RoleArn=role, RoleSessionName="stranger")["Credentials"]
            session.set_credentials(given["AccessKeyId"], given["SecretAccessKey"], given["SessionToken"])
        return session.create_client(service, region_name=region, endpoint_url=self.endpoint)

    def networks(self, account_id: str, region: str) -> list[str]:
        """The ids of the VPCs there that AWS itself did not put there."""
        found = self.inside(account_id, "ec2", region).describe_vpcs()["Vpcs"]
        return [one["VpcId"] for one in found if not one["IsDefault"]]
