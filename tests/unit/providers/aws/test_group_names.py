"""Names that AWS would refuse are not made."""

import pytest

from tenuto.model.ids import LogicalId, ObjectId, TypeName
from tenuto.model.outcome import Request
from tenuto.providers.aws.types.ec2_security_group import generated_group_name


@pytest.mark.parametrize("process", ["sg", "SG", "sg-web"])
def test_no_generated_group_name_begins_like_an_id_of_aws(process: str) -> None:
    request = Request(
        object_id=ObjectId("1"),
        fid=None,
        process_name=process,
        logical_id=LogicalId("G" * 300),
        type=TypeName("AWS::EC2::SecurityGroup"),
        token="t",
        properties={},
    )
    name = generated_group_name(request)
    assert not name.lower().startswith("sg-")
    assert len(name) <= 255
