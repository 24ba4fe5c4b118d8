"""Rules for stores of data: buckets, tables, databases, caches, files, parameters, keys."""

from collections.abc import Mapping

from tenuto.compositions.cloudformation.property_rules.bucket_names import bucket_name
from tenuto.compositions.cloudformation.property_rules.companions import Companions
from tenuto.compositions.cloudformation.property_rules.conditions import DECLARED, unless, words
from tenuto.compositions.cloudformation.property_rules.forms import all_of, at_least, between, fits, one_of
from tenuto.compositions.cloudformation.property_rules.rule import Rule
from tenuto.compositions.cloudformation.property_rules.values import Order, Unique, Value

_RULE = "LifecycleConfiguration.Rules.*"
_ACTIONS = (
    *("AbortIncompleteMultipartUpload", "ExpirationDate", "ExpirationInDays", "ExpiredObjectDeleteMarker"),
    *("NoncurrentVersionExpiration", "NoncurrentVersionExpirationInDays", "NoncurrentVersionTransition"),
    *("NoncurrentVersionTransitions", "Transition", "Transitions"),
)
_INFREQUENT = words("standard_ia onezone_ia")
_ENCRYPTION = "BucketEncryption.ServerSideEncryptionConfiguration.*.ServerSideEncryptionByDefault"
_PAID_BY_CAPACITY = {"BillingMode": unless("provisioned")}
_PAID_BY_REQUEST = {"BillingMode": words("pay_per_request")}
_INDEXES = ("GlobalSecondaryIndexes.*.Projection", "LocalSecondaryIndexes.*.Projection")
_NOT_ROTATED = words(
    "rsa_2048 rsa_3072 rsa_4096 ecc_nist_p256 ecc_nist_p384 ecc_nist_p521 ecc_secg_p256k1 sm2 "
    "hmac_224 hmac_256 hmac_384 hmac_512"
)
_FROM_NOTHING = {
    name: unless()
    for name in (
        *("DBSnapshotIdentifier", "SourceDBInstanceIdentifier", "SourceDbiResourceId", "DBClusterIdentifier"),
        *("SourceDBInstanceAutomatedBackupsArn", "DBClusterSnapshotIdentifier", "SourceDBClusterIdentifier"),
    )
}
_NOT_RESTORED = {
    name: unless() for name in ("SnapshotIdentifier", "SourceDBClusterIdentifier", "SourceDbClusterResourceId")
}
"""A cluster that is restored, from a snapshot or from another cluster, has its user already."""
_DOMAIN = Value(
    of="DomainName",
    form=fits("[a-z][a-z0-9-]{2,27}", "have 3 to 28 small letters, digits and hyphens, and begin with a letter"),
)

RULES: Mapping[str, tuple[Rule, ...]] = {
    "AWS::DynamoDB::Table": (
        Companions(when=_PAID_BY_REQUEST, excludes=("ProvisionedThroughput",)),
        Companions(
            when=_PAID_BY_CAPACITY,
            needs=("ProvisionedThroughput",),
            or_else="declare BillingMode: PAY_PER_REQUEST",
        ),
        Companions(path="GlobalSecondaryIndexes.*", given=_PAID_BY_CAPACITY, needs=("ProvisionedThroughput",)),
        Companions(path="GlobalSecondaryIndexes.*", given=_PAID_BY_REQUEST, excludes=("ProvisionedThroughput",)),
        *(
            rule
            for path in _INDEXES
            for rule in (
                Companions(path=path, when={"ProjectionType": words("include")}, needs=("NonKeyAttributes",)),
                Companions(path=path, when={"ProjectionType": words("all keys_only")}, excludes=("NonKeyAttributes",)),
            )
        ),
    ),
    "AWS::EFS::FileSystem": (
        Companions(when={"ThroughputMode": words("provisioned")}, needs=("ProvisionedThroughputInMibps",)),
    ),
    "AWS::ElastiCache::CacheCluster": (
        Value(when={"Engine": words("redis valkey")}, of="NumCacheNodes", form=one_of("1")),
    ),
    "AWS::ElastiCache::ReplicationGroup": (
        Value(
            when={"AutomaticFailoverEnabled": words("true"), "NumNodeGroups": unless()},
            of="NumCacheClusters",
            form=at_least(2),
        ),
        Companions(when={"TransitEncryptionEnabled": words("false")}, excludes=("AuthToken",)),
    ),
    "AWS::KMS::Alias": (Value(of="AliasName", form=fits("(?!alias/aws/).*", "not begin with alias/aws/")),),
    "AWS::KMS::Key": (
        Companions(when={"KeySpec": _NOT_ROTATED, "EnableKeyRotation": words("true")}, excludes=("EnableKeyRotation",)),
    ),
    "AWS::RDS::DBCluster": (
        Companions(when={"ManageMasterUserPassword": words("true")}, excludes=("MasterUserPassword",)),
        Companions(when={"MasterUserPassword": DECLARED, **_NOT_RESTORED}, needs=("MasterUsername",)),
        Order(path="ServerlessV2ScalingConfiguration", low="MinCapacity", high="MaxCapacity"),
    ),
    "AWS::RDS::DBInstance": (
        Companions(when={"MultiAZ": words("true")}, excludes=("AvailabilityZone",)),
        Companions(when={"ManageMasterUserPassword": words("true")}, excludes=("MasterUserPassword",)),
        Companions(when={"StorageType": words("io1 io2")}, needs=("Iops",)),
        Companions(
            when={"Engine": words("mysql mariadb postgres"), **_FROM_NOTHING},
            needs=("AllocatedStorage",),
        ),
        Companions(
            of_new=True,
            when={"MasterUsername": DECLARED, **_FROM_NOTHING},
            needs_one=("MasterUserPassword", "ManageMasterUserPassword"),
        ),
        Value(of="BackupRetentionPeriod", form=between(0, 35)),
        Value(when={"DBClusterIdentifier": unless()}, of="Port", form=between(1_150, 65_535)),
    ),
    "AWS::RDS::DBSubnetGroup": (Value(of="DBSubnetGroupName", form=fits("(?i)(?!default$).*", "not be default")),),
    "AWS::S3::Bucket": (
        Value(of="BucketName", form=bucket_name),
        Companions(path=_RULE, needs_one=_ACTIONS),
        *(
            Value(path=f"{_RULE}.{one}", when={"StorageClass": _INFREQUENT}, of="TransitionInDays", form=at_least(30))
            for one in ("Transition", "Transitions.*")
        ),
        Companions(
            path="WebsiteConfiguration",
            when={"RedirectAllRequestsTo": DECLARED},
            excludes=("IndexDocument", "ErrorDocument", "RoutingRules"),
        ),
        Companions(when={"ReplicationConfiguration": DECLARED}, needs=("VersioningConfiguration",)),
        Companions(path=_ENCRYPTION, when={"SSEAlgorithm": words("aes256")}, excludes=("KMSMasterKeyID",)),
        Unique(of=f"{_RULE}.Id"),
    ),
    "AWS::SSM::Parameter": (
        Value(
            of="Name",
            form=all_of(
                fits("(?i)(?!aws|ssm).*", "not begin with aws or ssm"),
                fits("/.*|[^/]*", "begin with / where it has one"),
                fits("[A-Za-z0-9_./-]+", "have only letters, digits and _ . - /"),
            ),
        ),
    ),
    "AWS::SecretsManager::Secret": (
        Companions(path="GenerateSecretString", when={"GenerateStringKey": DECLARED}, needs=("SecretStringTemplate",)),
        Companions(path="GenerateSecretString", when={"SecretStringTemplate": DECLARED}, needs=("GenerateStringKey",)),
        Value(of="Name", form=fits(r"[A-Za-z0-9/_+=.@-]+", "have only letters, digits and / _ + = . @ -")),
    ),
    "AWS::Elasticsearch::Domain": (_DOMAIN,),
    "AWS::OpenSearchService::Domain": (_DOMAIN,),
}
