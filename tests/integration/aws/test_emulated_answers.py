"""Answers of AWS that the emulator was taught: definitions, stages of usage plans, and what functions show."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from botocore.exceptions import ClientError


def test_a_definition_of_swagger_is_taken(stranger: Callable[[str], Any]) -> None:
    integration = {"type": "aws_proxy", "httpMethod": "POST", "uri": "arn:aws:apigateway:us-east-1:lambda:path/x"}
    method = {"responses": {}, "x-amazon-apigateway-integration": integration}
    paths = {"/": {"get": method}, "/all/{proxy+}": {"x-amazon-apigateway-any-method": method, "parameters": []}}
    client = stranger("apigateway")
    api = client.create_rest_api(name="told")["id"]
    body = json.dumps({"swagger": "2.0", "info": {"title": "told", "version": "1"}, "paths": paths})
    client.put_rest_api(restApiId=api, mode="overwrite", body=body)
    shown = {one["path"]: [*one.get("resourceMethods", ())] for one in client.get_resources(restApiId=api)["items"]}
    assert (shown["/"], shown["/all/{proxy+}"]) == (["GET"], ["ANY"])
    client.delete_rest_api(restApiId=api)


def test_an_integration_of_a_definition_answers_without_an_address(stranger: Callable[[str], Any]) -> None:
    method = {"responses": {}, "x-amazon-apigateway-integration": {"type": "mock"}}
    client = stranger("apigateway")
    api = client.create_rest_api(name="told")["id"]
    body = json.dumps({"openapi": "3.0.1", "paths": {"/": {"options": method}}})
    client.put_rest_api(restApiId=api, mode="overwrite", body=body)
    [root] = client.get_resources(restApiId=api, embed=["methods"])["items"]
    assert root["resourceMethods"]["OPTIONS"]["methodIntegration"]["type"] == "mock"
    client.delete_rest_api(restApiId=api)


def test_a_definition_that_is_refused_changes_nothing(stranger: Callable[[str], Any]) -> None:
    role = "arn:aws:iam::210987654321:role/of-another"
    call = {"type": "aws", "httpMethod": "GET", "uri": "arn:aws:apigateway:us-east-1:s3:path/x", "credentials": role}
    paths = {one: {"get": {"responses": {}, "x-amazon-apigateway-integration": call}} for one in ("/", "/all")}
    client = stranger("apigateway")
    api = client.create_rest_api(name="told")["id"]
    with pytest.raises(client.exceptions.ClientError, match="Cross-account"):
        client.put_rest_api(restApiId=api, mode="merge", body=json.dumps({"openapi": "3.0.1", "paths": paths}))
    [root] = client.get_resources(restApiId=api, embed=["methods"])["items"]
    assert (root["path"], root.get("resourceMethods")) == ("/", None)
    client.delete_rest_api(restApiId=api)


def test_an_integration_calls_with_the_rights_of_its_caller(stranger: Callable[[str], Any]) -> None:
    client, caller = stranger("apigateway"), "arn:aws:iam::*:user/*"
    api = client.create_rest_api(name="called")["id"]
    about = {"restApiId": api, "resourceId": client.get_resources(restApiId=api)["items"][0]["id"], "httpMethod": "GET"}
    client.put_method(**about, authorizationType="AWS_IAM")
    uri = "arn:aws:apigateway:us-east-1:lambda:path/x"
    client.put_integration(**about, type="AWS_PROXY", integrationHttpMethod="POST", uri=uri, credentials=caller)
    assert client.get_integration(**about)["credentials"] == caller
    client.delete_rest_api(restApiId=api)


def test_a_stage_with_limits_is_taken_out_of_a_usage_plan(stranger: Callable[[str], Any]) -> None:
    client = stranger("apigateway")
    api = client.create_rest_api(name="limited")["id"]
    root = client.get_resources(restApiId=api)["items"][0]["id"]
    client.put_method(restApiId=api, resourceId=root, httpMethod="GET", authorizationType="NONE")
    client.put_integration(restApiId=api, resourceId=root, httpMethod="GET", type="MOCK")
    client.create_deployment(restApiId=api, stageName="prod")
    stage = {"apiId": api, "stage": "prod", "throttle": {"/GET": {"burstLimit": 5, "rateLimit": 2}}}
    plan = client.create_usage_plan(name="gold", apiStages=[stage])["id"]
    client.update_usage_plan(
        usagePlanId=plan, patchOperations=[{"op": "remove", "path": "/apiStages", "value": f"{api}:prod"}]
    )
    assert client.get_usage_plan(usagePlanId=plan)["apiStages"] == []
    client.delete_usage_plan(usagePlanId=plan)
    client.delete_rest_api(restApiId=api)


def test_a_permission_for_urls_of_a_function_has_its_condition(stranger: Callable[[str], Any]) -> None:
    client, iam = stranger("lambda"), stranger("iam")
    trust = {"Version": "2012-10-17", "Statement": []}
    role = iam.create_role(RoleName="told-by-url", AssumeRolePolicyDocument=json.dumps(trust))["Role"]["Arn"]
    client.create_function(
        FunctionName="told-by-url", Runtime="python3.13", Role=role, Handler="a.b", Code={"ZipFile": b"x"}
    )
    client.add_permission(
        FunctionName="told-by-url",
        StatementId="all",
        Action="lambda:InvokeFunctionUrl",
        Principal="*",
        FunctionUrlAuthType="NONE",
    )
    (found,) = json.loads(client.get_policy(FunctionName="told-by-url")["Policy"])["Statement"]
    assert found["Condition"] == {"StringEquals": {"lambda:FunctionUrlAuthType": "NONE"}}
    client.delete_function(FunctionName="told-by-url")
    iam.delete_role(RoleName="told-by-url")


def test_a_function_shows_where_it_logs(stranger: Callable[[str], Any]) -> None:
    client, iam = stranger("lambda"), stranger("iam")
    trust = {"Version": "2012-10-17", "Statement": []}
    role = iam.create_role(RoleName="told-of-logs", AssumeRolePolicyDocument=json.dumps(trust))["Role"]["Arn"]
    made = client.create_function(
        FunctionName="told-of-logs",
        Runtime="python3.13",
        Role=role,
        Handler="a.b",
        Code={"ZipFile": b"x"},
        LoggingConfig={"LogGroup": "shop"},
    )
    assert made["LoggingConfig"] == {"LogFormat": "Text", "LogGroup": "shop"}
    client.update_function_configuration(FunctionName="told-of-logs", LoggingConfig={"LogFormat": "JSON"})
    shown = client.get_function_configuration(FunctionName="told-of-logs")["LoggingConfig"]
    assert shown["LogFormat"] == "JSON"
    client.delete_function(FunctionName="told-of-logs")
    iam.delete_role(RoleName="told-of-logs")


def test_a_queue_stays_with_the_alias_that_it_was_given(stranger: Callable[[str], Any]) -> None:
    client, iam, sqs = stranger("lambda"), stranger("iam"), stranger("sqs")
    trust = {"Version": "2012-10-17", "Statement": []}
    role = iam.create_role(RoleName="told-by-queue", AssumeRolePolicyDocument=json.dumps(trust))["Role"]["Arn"]
    plain = client.create_function(
        FunctionName="told-by-queue", Runtime="python3.13", Role=role, Handler="a.b", Code={"ZipFile": b"x"}
    )["FunctionArn"]
    version = client.publish_version(FunctionName="told-by-queue")["Version"]
    alias = client.create_alias(FunctionName="told-by-queue", Name="live", FunctionVersion=version)["AliasArn"]
    queue = sqs.create_queue(QueueName="tells-alias")["QueueUrl"]
    arn = sqs.get_queue_attributes(QueueUrl=queue, AttributeNames=["QueueArn"])["Attributes"]["QueueArn"]
    made = client.create_event_source_mapping(EventSourceArn=arn, FunctionName=alias)
    assert made["FunctionArn"] == alias
    for name, shown in (("told-by-queue", plain), ("told-by-queue:live", alias), (plain, plain)):
        assert client.update_event_source_mapping(UUID=made["UUID"], FunctionName=name)["FunctionArn"] == shown
        assert client.get_event_source_mapping(UUID=made["UUID"])["FunctionArn"] == shown
    client.delete_event_source_mapping(UUID=made["UUID"])
    client.delete_function(FunctionName="told-by-queue")
    sqs.delete_queue(QueueUrl=queue)
    iam.delete_role(RoleName="told-by-queue")


def test_a_bucket_says_that_it_tells_event_bridge_and_nobody_else(stranger: Callable[[str], Any]) -> None:
    client = stranger("s3")
    client.create_bucket(Bucket="tells-one")
    client.put_bucket_notification_configuration(
        Bucket="tells-one", NotificationConfiguration={"EventBridgeConfiguration": {}}
    )
    assert client.get_bucket_notification_configuration(Bucket="tells-one")["EventBridgeConfiguration"] == {}
    client.delete_bucket(Bucket="tells-one")


def test_an_elastic_address_leads_to_the_private_address_that_was_named(stranger: Callable[[str], Any]) -> None:
    client = stranger("ec2")
    vpc = client.create_vpc(CidrBlock="10.7.0.0/16")["Vpc"]["VpcId"]
    subnet = client.create_subnet(VpcId=vpc, CidrBlock="10.7.0.0/24")["Subnet"]["SubnetId"]
    private = [{"Primary": True, "PrivateIpAddress": "10.7.0.10"}, {"Primary": False, "PrivateIpAddress": "10.7.0.11"}]
    interface = client.create_network_interface(SubnetId=subnet, PrivateIpAddresses=private)["NetworkInterface"]
    address = {"AllocationId": client.allocate_address(Domain="vpc")["AllocationId"]}
    place = {"NetworkInterfaceId": interface["NetworkInterfaceId"], "AllowReassociation": True}

    def shown() -> Any:
        return client.describe_addresses(AllocationIds=[address["AllocationId"]])["Addresses"][0].get(
            "PrivateIpAddress"
        )

    client.associate_address(**address, **place, PrivateIpAddress="10.7.0.11")
    assert shown() == "10.7.0.11"
    again = client.associate_address(**address, **place)
    assert shown() == "10.7.0.10"
    client.disassociate_address(AssociationId=again["AssociationId"])
    assert not shown()


def test_rules_about_prefix_lists_keep_their_descriptions(stranger: Callable[[str], Any]) -> None:
    client = stranger("ec2")
    vpc = client.create_vpc(CidrBlock="10.8.0.0/16")["Vpc"]["VpcId"]
    group = client.create_security_group(GroupName="listed", Description="listed", VpcId=vpc)["GroupId"]
    web = {"IpProtocol": "tcp", "FromPort": 80, "ToPort": 80}
    lists = [{"PrefixListId": "pl-3b927c52", "Description": "front"}]
    client.authorize_security_group_ingress(GroupId=group, IpPermissions=[{**web, "PrefixListIds": lists}])
    [shown] = client.describe_security_groups(GroupIds=[group])["SecurityGroups"]
    assert shown["IpPermissions"][0]["PrefixListIds"] == lists
    rules = client.describe_security_group_rules(Filters=[{"Name": "group-id", "Values": [group]}])
    assert [one.get("Description") for one in rules["SecurityGroupRules"] if not one["IsEgress"]] == ["front"]


def test_a_machine_is_made_with_the_operations_of_its_devices(stranger: Callable[[str], Any]) -> None:
    client = stranger("ec2")
    ebs = {"VolumeType": "io1", "VolumeSize": 10, "Iops": 200, "DeleteOnTermination": True}
    made = client.run_instances(
        ImageId="ami-12c6146b", MinCount=1, MaxCount=1, BlockDeviceMappings=[{"DeviceName": "/dev/sdm", "Ebs": ebs}]
    )["Instances"][0]["InstanceId"]
    found = client.describe_volumes(Filters=[{"Name": "attachment.instance-id", "Values": [made]}])["Volumes"]
    assert [(one["VolumeType"], one["Iops"]) for one in found] == [("io1", 200)]
    client.terminate_instances(InstanceIds=[made])


def test_a_rule_of_replication_is_shown_whole(stranger: Callable[[str], Any]) -> None:
    client = stranger("s3")
    for bucket in ("whole-from", "whole-to"):
        client.create_bucket(Bucket=bucket)
        client.put_bucket_versioning(Bucket=bucket, VersioningConfiguration={"Status": "Enabled"})
    rule = {
        "ID": "one",
        "Priority": 1,
        "Status": "Enabled",
        "Filter": {"Prefix": "logs/"},
        "DeleteMarkerReplication": {"Status": "Enabled"},
        "SourceSelectionCriteria": {"SseKmsEncryptedObjects": {"Status": "Enabled"}},
        "Destination": {"Bucket": "arn:aws:s3:::whole-to", "StorageClass": "STANDARD_IA"},
    }
    configuration = {"Role": "arn:aws:iam::123456789012:role/copies", "Rules": [rule]}
    client.put_bucket_replication(Bucket="whole-from", ReplicationConfiguration=configuration)
    assert client.get_bucket_replication(Bucket="whole-from")["ReplicationConfiguration"] == configuration
    for bucket in ("whole-from", "whole-to"):
        client.delete_bucket(Bucket=bucket)


def test_each_identity_of_a_list_is_shown_by_its_arn(stranger: Callable[[str], Any]) -> None:
    front, client = stranger("cloudfront"), stranger("s3")
    made = [
        front.create_cloud_front_origin_access_identity(
            CloudFrontOriginAccessIdentityConfig={"CallerReference": name, "Comment": name}
        )["CloudFrontOriginAccessIdentity"]
        for name in ("one", "two")
    ]
    client.create_bucket(Bucket="read-by-two")
    statement = {
        "Effect": "Allow",
        "Action": "s3:GetObject",
        "Resource": "arn:aws:s3:::read-by-two/*",
        "Principal": {"CanonicalUser": [one["S3CanonicalUserId"] for one in made]},
    }
    client.put_bucket_policy(Bucket="read-by-two", Policy=json.dumps({"Statement": [statement]}))
    [shown] = json.loads(client.get_bucket_policy(Bucket="read-by-two")["Policy"])["Statement"]
    assert [one.rpartition(" ")[2] for one in shown["Principal"]["AWS"]] == [one["Id"] for one in made]
    client.delete_bucket(Bucket="read-by-two")


def test_a_behaviour_may_have_a_group_of_origins_as_its_target(stranger: Callable[[str], Any]) -> None:
    client = stranger("cloudfront")
    web = {"HTTPPort": 80, "HTTPSPort": 443, "OriginProtocolPolicy": "https-only"}
    origins = [{"Id": name, "DomainName": f"{name}.example.com", "CustomOriginConfig": web} for name in ("one", "two")]
    group = {
        "Id": "both",
        "FailoverCriteria": {"StatusCodes": {"Quantity": 1, "Items": [500]}},
        "Members": {"Quantity": 2, "Items": [{"OriginId": "one"}, {"OriginId": "two"}]},
    }
    config = {
        "CallerReference": "grouped",
        "Comment": "",
        "Enabled": True,
        "Origins": {"Quantity": 2, "Items": origins},
        "OriginGroups": {"Quantity": 1, "Items": [group]},
        "DefaultCacheBehavior": {"TargetOriginId": "both", "ViewerProtocolPolicy": "allow-all"},
    }
    made = client.create_distribution(DistributionConfig=config)["Distribution"]
    assert made["DistributionConfig"]["DefaultCacheBehavior"]["TargetOriginId"] == "both"
    with pytest.raises(ClientError, match="origins or origin groups do not exist"):
        client.create_distribution(
            DistributionConfig={
                **config,
                "CallerReference": "other",
                "DefaultCacheBehavior": {"TargetOriginId": "none", "ViewerProtocolPolicy": "allow-all"},
            }
        )


def test_each_qualifier_of_a_function_has_its_own_setting_of_asynchronous_calls(
    stranger: Callable[[str], Any],
) -> None:
    client, iam = stranger("lambda"), stranger("iam")
    trust = {"Effect": "Allow", "Principal": {"Service": "lambda.amazonaws.com"}, "Action": "sts:AssumeRole"}
    trusting = json.dumps({"Version": "2012-10-17", "Statement": trust})
    role = iam.create_role(RoleName="of-two", AssumeRolePolicyDocument=trusting)["Role"]["Arn"]
    client.create_function(FunctionName="two", Runtime="python3.13", Role=role, Handler="a.b", Code={"ZipFile": b"x"})
    client.put_function_event_invoke_config(FunctionName="two", MaximumRetryAttempts=0)
    client.put_function_event_invoke_config(FunctionName="two", Qualifier="live", MaximumRetryAttempts=1)

    def shown(**qualifier: str) -> tuple[str, int]:
        found = client.get_function_event_invoke_config(FunctionName="two", **qualifier)
        return found["FunctionArn"].rpartition("function:")[2], found["MaximumRetryAttempts"]

    assert (shown(), shown(Qualifier="live")) == (("two:$LATEST", 0), ("two:live", 1))
    client.delete_function_event_invoke_config(FunctionName="two")
    with pytest.raises(ClientError, match="ResourceNotFound"):
        shown()
    [left] = client.list_function_event_invoke_configs(FunctionName="two")["FunctionEventInvokeConfigs"]
    assert left["FunctionArn"].endswith(":two:live")
    client.delete_function(FunctionName="two")
    iam.delete_role(RoleName="of-two")


def test_a_network_load_balancer_shows_its_addresses(stranger: Callable[[str], Any]) -> None:
    client, network = stranger("elbv2"), stranger("ec2")
    vpc = network.create_vpc(CidrBlock="10.9.0.0/16")["Vpc"]["VpcId"]
    subnets = [
        network.create_subnet(VpcId=vpc, CidrBlock=f"10.9.{n}.0/24", AvailabilityZone=f"us-east-1{'ab'[n]}")["Subnet"]
        for n in range(2)
    ]
    own = [network.allocate_address(Domain="vpc")["AllocationId"] for _ in subnets]
    mappings = [{"SubnetId": subnet["SubnetId"], "AllocationId": one} for subnet, one in zip(subnets, own, strict=True)]
    made = client.create_load_balancer(Name="addressed", Type="network", SubnetMappings=mappings)["LoadBalancers"][0]
    arn = made["LoadBalancerArn"]

    def shown() -> list[Any]:
        zones = client.describe_load_balancers(LoadBalancerArns=[arn])["LoadBalancers"][0]["AvailabilityZones"]
        return [[address.get("AllocationId") for address in zone["LoadBalancerAddresses"]] for zone in zones]

    assert shown() == [[one] for one in own]
    client.set_subnets(LoadBalancerArn=arn, Subnets=[subnet["SubnetId"] for subnet in subnets])
    assert shown() == [[], []]
    client.delete_load_balancer(LoadBalancerArn=arn)


def test_a_topic_shows_all_that_it_was_set_to(stranger: Callable[[str], Any]) -> None:
    client = stranger("sns")
    topic = client.create_topic(Name="traced", Attributes={"TracingConfig": "Active"})["TopicArn"]
    client.set_topic_attributes(TopicArn=topic, AttributeName="SignatureVersion", AttributeValue="2")
    shown = client.get_topic_attributes(TopicArn=topic)["Attributes"]
    assert (shown["TracingConfig"], shown["SignatureVersion"]) == ("Active", "2")
    client.delete_topic(TopicArn=topic)


def test_a_stream_of_a_taken_name_is_refused_in_the_words_of_aws(stranger: Callable[[str], Any]) -> None:
    client = stranger("kinesis")
    client.create_stream(StreamName="clicks", ShardCount=1)
    with pytest.raises(client.exceptions.ResourceInUseException, match=r"Stream clicks under .* already exists"):
        client.create_stream(StreamName="clicks", ShardCount=1)
    client.delete_stream(StreamName="clicks")


def test_settings_of_network_load_balancers_are_refused_to_others(stranger: Callable[[str], Any]) -> None:
    client, network = stranger("elbv2"), stranger("ec2")
    vpc = network.create_vpc(CidrBlock="10.8.0.0/16")["Vpc"]["VpcId"]
    subnet = network.create_subnet(VpcId=vpc, CidrBlock="10.8.0.0/24", AvailabilityZone="us-east-1a")["Subnet"]
    made = client.create_load_balancer(Name="plain", Type="application", Subnets=[subnet["SubnetId"]])
    arn = made["LoadBalancers"][0]["LoadBalancerArn"]
    setting = {"EnforceSecurityGroupInboundRulesOnPrivateLinkTraffic": "off"}
    with pytest.raises(client.exceptions.InvalidConfigurationRequestException, match="network alone"):
        client.set_security_groups(LoadBalancerArn=arn, SecurityGroups=[], **setting)
    assert setting.keys().isdisjoint(client.describe_load_balancers(LoadBalancerArns=[arn])["LoadBalancers"][0])
    client.delete_load_balancer(LoadBalancerArn=arn)


def test_a_stream_with_shards_of_its_own_is_refused_a_warm_throughput(stranger: Callable[[str], Any]) -> None:
    client = stranger("kinesis")
    client.create_stream(StreamName="counted", ShardCount=1)
    with pytest.raises(client.exceptions.InvalidArgumentException, match="on demand alone"):
        client.update_stream_warm_throughput(StreamName="counted", WarmThroughputMiBps=10)
    client.delete_stream(StreamName="counted")


def test_a_condition_of_a_policy_compares_a_plain_number(stranger: Callable[[str], Any]) -> None:
    aged = {"NumericLessThan": {"aws:MultiFactorAuthAge": 3600}}
    statement = {"Effect": "Allow", "Action": "s3:GetObject", "Resource": "*", "Condition": aged}
    document = json.dumps({"Version": "2012-10-17", "Statement": [statement]})
    client = stranger("iam")
    arn = client.create_policy(PolicyName="aged", PolicyDocument=document)["Policy"]["Arn"]
    version = client.get_policy_version(PolicyArn=arn, VersionId="v1")["PolicyVersion"]
    assert version["Document"]["Statement"] == [statement]
    client.delete_policy(PolicyArn=arn)


def test_a_container_on_machines_reserves_memory_without_a_limit(stranger: Callable[[str], Any]) -> None:
    container = {"name": "web", "image": "nginx", "memoryReservation": 256}
    client = stranger("ecs")
    made = client.register_task_definition(
        family="reserving", requiresCompatibilities=["EC2"], containerDefinitions=[container]
    )["taskDefinition"]
    assert made["containerDefinitions"][0]["memoryReservation"] == 256
    with pytest.raises(ClientError, match="memory"):
        client.register_task_definition(family="bare", containerDefinitions=[{"name": "web", "image": "nginx"}])
    client.deregister_task_definition(taskDefinition=made["taskDefinitionArn"])


def test_a_kind_of_environment_of_batch_is_taken_in_any_case(stranger: Callable[[str], Any]) -> None:
    client = stranger("batch")
    role = "arn:aws:iam::123456789012:role/aws-service-role/batch.amazonaws.com/AWSServiceRoleForBatch"
    client.create_compute_environment(computeEnvironmentName="small", type="unmanaged", serviceRole=role)
    [made] = client.describe_compute_environments(computeEnvironments=["small"])["computeEnvironments"]
    assert made["type"] == "UNMANAGED"
    client.update_compute_environment(computeEnvironment="small", state="DISABLED")
    client.delete_compute_environment(computeEnvironment="small")


def test_the_sizes_of_a_rule_of_a_lifecycle_are_kept(stranger: Callable[[str], Any]) -> None:
    sized = {"ID": "sized", "Status": "Enabled", "Filter": {"ObjectSizeLessThan": 9}, "Expiration": {"Days": 3}}
    both = {"Prefix": "in/", "ObjectSizeGreaterThan": 100, "ObjectSizeLessThan": 900}
    rules = [sized, {"ID": "both", "Status": "Enabled", "Filter": {"And": both}, "Expiration": {"Days": 3}}]
    client = stranger("s3")
    client.create_bucket(Bucket="sized")
    client.put_bucket_lifecycle_configuration(Bucket="sized", LifecycleConfiguration={"Rules": rules})
    assert client.get_bucket_lifecycle_configuration(Bucket="sized")["Rules"] == rules
    client.delete_bucket(Bucket="sized")


@pytest.mark.parametrize("statistic", ["tm99", "TM(10%:90%)", "PR(:300)", "IQM", "p99.9"])
def test_an_alarm_may_have_a_statistic_that_is_no_percentile(stranger: Callable[[str], Any], statistic: str) -> None:
    client = stranger("cloudwatch")
    client.put_metric_alarm(
        AlarmName="slow",
        Namespace="Shop",
        MetricName="Latency",
        ExtendedStatistic=statistic,
        Period=60,
        EvaluationPeriods=1,
        Threshold=1.0,
        ComparisonOperator="GreaterThanThreshold",
    )
    [shown] = client.describe_alarms(AlarmNames=["slow"])["MetricAlarms"]
    assert shown["ExtendedStatistic"] == statistic
    client.delete_alarms(AlarmNames=["slow"])


@pytest.mark.parametrize(("engine", "storage"), [("aurora-postgresql", "aurora-iopt1"), ("docdb", "iopt1")])
def test_a_cluster_may_have_storage_that_includes_its_input_and_output(
    stranger: Callable[[str], Any], engine: str, storage: str
) -> None:
    client = stranger("rds")
    made = client.create_db_cluster(
        DBClusterIdentifier="stored",
        Engine=engine,
        StorageType=storage,
        MasterUsername="ann",
        MasterUserPassword="long-enough",
    )
    assert made["DBCluster"]["StorageType"] == storage
    client.delete_db_cluster(DBClusterIdentifier="stored", SkipFinalSnapshot=True)


def test_a_rule_of_config_shows_the_tag_that_chooses_its_things(stranger: Callable[[str], Any]) -> None:
    client, scope = stranger("config"), {"TagKey": "team", "TagValue": "web"}
    source = {"Owner": "AWS", "SourceIdentifier": "S3_BUCKET_VERSIONING_ENABLED"}
    client.put_config_rule(ConfigRule={"ConfigRuleName": "chosen", "Source": source, "Scope": scope})
    [shown] = client.describe_config_rules(ConfigRuleNames=["chosen"])["ConfigRules"]
    assert shown["Scope"] == scope
    client.delete_config_rule(ConfigRuleName="chosen")


def test_a_rotation_asks_no_function_and_keeps_the_value(stranger: Callable[[str], Any]) -> None:
    client, iam, secrets, logs = stranger("lambda"), stranger("iam"), stranger("secretsmanager"), stranger("logs")
    trust = {"Version": "2012-10-17", "Statement": []}
    role = iam.create_role(RoleName="rotates", AssumeRolePolicyDocument=json.dumps(trust))["Role"]["Arn"]
    image = "123456789012.dkr.ecr.us-east-1.amazonaws.com/rotates:1"
    made = client.create_function(FunctionName="rotates", PackageType="Image", Role=role, Code={"ImageUri": image})
    secret = secrets.create_secret(Name="rotated", SecretString="first")["ARN"]
    rules = {"ScheduleExpression": "rate(7 days)"}
    told = secrets.rotate_secret(SecretId=secret, RotationLambdaARN=made["FunctionArn"], RotationRules=rules)
    assert told["ARN"] == secret
    shown = secrets.describe_secret(SecretId=secret)
    assert (shown["RotationLambdaARN"], shown["RotationRules"]) == (made["FunctionArn"], rules)
    assert secrets.get_secret_value(SecretId=secret)["SecretString"] == "first"
    assert logs.describe_log_groups(logGroupNamePrefix="/aws/lambda/rotates")["logGroups"] == []
    with pytest.raises(ClientError, match="Resource not found"):
        secrets.rotate_secret(SecretId=secret, RotationLambdaARN=f"{made['FunctionArn']}-of-another")
    secrets.delete_secret(SecretId=secret, ForceDeleteWithoutRecovery=True)
    client.delete_function(FunctionName="rotates")
    iam.delete_role(RoleName="rotates")
