"""`AWS::Serverless::Application`, a type of SAM that AWS publishes no schema of.

One with a file as its location is a nested template, and none is left when the file is compiled. The others are
applications of the Serverless Application Repository.
"""

from tenuto.model.ids import JsonMap, TypeName

APPLICATION = TypeName("AWS::Serverless::Application")

_TEXT = {"type": "string"}
SCHEMA: JsonMap = {
    "typeName": APPLICATION,
    "properties": {
        "Location": {
            "type": "object",
            "properties": {"ApplicationId": _TEXT, "SemanticVersion": _TEXT},
            "required": ["ApplicationId"],
            "additionalProperties": False,
        },
        "NotificationARNs": {"type": "array", "items": _TEXT},
        "Outputs": {"type": "object"},
        "Parameters": {"type": "object"},
        "Tags": {"type": "object"},
        "TimeoutInMinutes": {"type": "integer"},
    },
    "required": ["Location"],
    "readOnlyProperties": ["/properties/Outputs"],
    "additionalProperties": False,
}
"""The properties, as SAM documents them, and the outputs, which `Fn::GetAtt` reads one by one."""
