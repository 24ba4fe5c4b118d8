"""The core and the Conductor know no provider: a word of AWS in them belongs to `providers/aws`.

The pseudo parameters of templates (`AWS::AccountId` and its kin) are words of the language, and not of a provider.
"""

import re
from pathlib import Path

import tenuto

SOURCE = Path(tenuto.__file__).parent
ROOMS = ("core", "conductor", "lifecycles")
OF_THE_LANGUAGE = re.compile(r"AWS::\w+")
OF_AWS = re.compile(
    r"\b(arns?|aws|amazon\w*|botocore|boto3|cloudwatch|dynamodb|ec2|iam|kms|s3|sns|sqs|ssm|sts|vpcs?|"
    r"(?:af|ap|ca|eu|sa|us)-(?:north|south|east|west|central)\w*-\d)\b",
    re.IGNORECASE,
)


def test_no_word_of_a_provider_is_in_the_core_or_the_conductor() -> None:
    found = [
        f"{path.relative_to(SOURCE)}:{number}: {line.strip()}"
        for room in ROOMS
        for path in sorted((SOURCE / room).rglob("*.py"))
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
        if OF_AWS.search(OF_THE_LANGUAGE.sub("", line))
    ]
    assert found == []


def test_the_core_and_the_conductor_name_no_provider_package() -> None:
    found = [
        str(path.relative_to(SOURCE))
        for room in ROOMS
        for path in sorted((SOURCE / room).rglob("*.py"))
        if "tenuto.providers" in path.read_text(encoding="utf-8")
    ]
    assert found == []
