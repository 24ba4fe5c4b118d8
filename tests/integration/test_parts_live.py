"""A thing that is made anew under its name takes along what is part of it. The plan says so beforehand, one job makes
all of it again, and nothing is left to the repair of drift, which may be off.
"""

from typing import Any

from live import Live

ROLE = """
  Role:
    Type: AWS::IAM::Role
    Properties:
      RoleName: shop
      Path: PATH
      AssumeRolePolicyDocument:
        Version: "2012-10-17"
        Statement: [{Effect: Allow, Principal: {Service: lambda.amazonaws.com}, Action: sts:AssumeRole}]
  Inline:
    Type: AWS::IAM::Policy
    Properties:
      PolicyName: logs
      Roles: [!Ref Role]
      PolicyDocument: &allow
        Version: "2012-10-17"
        Statement: [{Effect: Allow, Action: "logs:*", Resource: "*"}]
  Managed: {Type: AWS::IAM::ManagedPolicy, Properties: {Roles: [!Ref Role], PolicyDocument: *allow}}
  Profile: {Type: AWS::IAM::InstanceProfile, Properties: {Roles: [!Ref Role]}}
  Function:
    Type: AWS::Lambda::Function
    Properties:
      Role: !GetAtt Role.Arn
      Runtime: python3.12
      Handler: index.run
      Code: {ZipFile: "def run(event, context): pass"}
"""
BUCKET = """
  Bucket: {Type: AWS::S3::Bucket, Properties: {BucketName: shop-of-parts, ObjectLockEnabled: LOCK}}
  Policy:
    Type: AWS::S3::BucketPolicy
    Properties:
      Bucket: !Ref Bucket
      PolicyDocument:
        Version: "2012-10-17"
        Statement: [{Effect: Deny, Principal: "*", Action: "s3:PutObject", Resource: !Sub "${Bucket.Arn}/*"}]
  Topic: {Type: AWS::SNS::Topic, Properties: {DisplayName: !Ref Bucket}}
"""


def composition(path: str, lock: str) -> str:
    return f"Resources:{ROLE.replace('PATH', path)}{BUCKET.replace('LOCK', lock)}"


def test_what_is_part_of_a_thing_is_made_again_with_it_by_the_plan_that_says_so(live: Live) -> None:
    live.apply("shop", composition("/", "true"))
    live.tenuto("property", "shop", "enforcement", "--set", "off", check=True)
    live.two_jobs_later("shop")
    (live.folder / "shop.yaml").write_text(composition("/team/", "false"))
    before = len(live.changes("shop"))
    plan = live.tenuto("--json", "update", "shop", str(live.folder / "shop.yaml"), "--dry-run", check=True).document
    promised = {one["logical_id"]: one["op"] for one in plan["operations"]}
    assert promised == {
        "Role": "replace",
        "Inline": "replace",
        "Managed": "modify",
        "Profile": "modify",
        "Function": "modify",
        "Bucket": "replace",
        "Policy": "replace",
    }
    live.tenuto("update", "shop", str(live.folder / "shop.yaml"), "--wait", check=True)
    live.two_jobs_later("shop")
    done = live.changes("shop")[before:]
    assert {name for one in done for name in one["resources"]} == promised.keys()
    assert {one["actor"] for one in done} == {"root"}, "nothing was left to the repair of drift"
    assert order(done, "Inline", "Role", "Role", "Inline"), done
    assert order(done, "Policy", "Bucket", "Bucket", "Policy"), done
    iam: Any = live.aws("iam")
    assert iam.list_role_policies(RoleName="shop")["PolicyNames"] == ["logs"]
    assert len(iam.list_attached_role_policies(RoleName="shop")["AttachedPolicies"]) == 1
    assert [one["RoleName"] for one in iam.list_instance_profiles()["InstanceProfiles"][0]["Roles"]] == ["shop"]
    assert live.aws("s3").get_bucket_policy(Bucket="shop-of-parts")["Policy"]


def order(calls: list[Any], *names: str) -> bool:
    """Whether the calls are about these resources in this order, one after the other; others may be in between."""
    told = iter(one["resources"] for one in calls)
    return all(any(name in resources for resources in told) for name in names)
