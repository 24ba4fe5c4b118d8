"""Every diagnostic that a composition can earn: a stable code, fixed words, and a hint.

The first digit says where to look: 0 the file, 1 the sections, 2 parameters, 3 functions and names, 4 conditions and
mappings, 5 resources and their properties, 6 outputs, 7 features that Tenuto does not have, 8 warnings, 9 compiled
documents. A code is never given another meaning. docs/reference/diagnostics.md has a section for each; a test compares.
"""

from dataclasses import dataclass

from tenuto.model.diagnostic import Severity


@dataclass(frozen=True, slots=True, kw_only=True)
class Code:
    """One row of the table. `hint` is the advice when the place of the problem knows nothing better."""

    code: str
    summary: str
    hint: str = ""
    severity: Severity = Severity.ERROR


def _code(code: str, summary: str, hint: str = "", severity: Severity = Severity.ERROR) -> Code:
    return Code(code=code, summary=summary, hint=hint, severity=severity)


FILE_UNREADABLE = _code("T001", "The file cannot be read", "Check the path and your permissions.")
FILE_TOO_LARGE = _code("T002", "The file is too large", "Split the composition in two, joined by exports and imports.")
YAML_SYNTAX = _code(
    "T003", "The YAML cannot be read", "Compare the line with those above: indentation, quotes, brackets, colons."
)
JSON_SYNTAX = _code(
    "T004", "The JSON cannot be read", "Compare the place with what stands before it: commas, quotes, brackets."
)
NOT_UTF8 = _code("T005", "The file is not UTF-8 text", "Save the file as UTF-8.")
FILE_EMPTY = _code("T006", "The file is empty", "A composition needs at least a Resources section with one resource.")
DUPLICATE_KEY = _code("T007", "A key is written twice", "Remove one of them, or give it another name.")
TOO_DEEP = _code("T008", "The document is nested too deeply", "Flatten it; no resource type needs this depth.")
TOO_MANY_NODES = _code("T009", "The document grows too large when its aliases are followed", "Use fewer aliases.")
CIRCULAR_ALIAS = _code("T010", "An alias contains itself", "Write the value out instead of the alias.")
UNKNOWN_TAG = _code("T011", "Unknown YAML tag", "Use a short form of a CloudFormation function, such as !Ref or !Sub.")
KEY_NOT_TEXT = _code(
    "T012",
    "A key is not plain text",
    "Write the key as text; put it in quotes if need be. Of a template engine ({{ … }}), give the rendered file.",
)
MORE_DOCUMENTS = _code("T013", "The file holds more than one document", "Keep one composition in a file.")
VALIDATIONS_UNUSABLE = _code(
    "T014", "A file of validations cannot be used", "Correct the file, or leave it out of --validations."
)
BAD_RULE = _code("T015", "A rule is malformed", "Write the rule in the form that docs/guide/rules.md shows.")
BAD_EXPRESSION = _code("T016", "The expression of a rule cannot be used", "Correct the expression; it is CEL.")

NOT_A_MAPPING = _code(
    "T101", "A template must be a mapping with a Resources section", "Start with a line such as `Resources:`."
)
UNKNOWN_SECTION = _code("T102", "Unknown section", "Put your own notes in Metadata.")
NO_RESOURCES = _code("T103", "There are no resources", "Declare at least one resource in the Resources section.")
WRONG_SHAPE = _code("T104", "A value has the wrong shape")
UNKNOWN_VERSION = _code("T105", "Unknown format version", 'The only version is "2010-09-09"; the line can be left out.')
INVALID_NAME = _code("T106", "A name is not allowed", "Use letters and digits only, at most 255.")
TOO_MANY_RESOURCES = _code("T107", "There are too many resources", "Split the composition in several.")
NAME_TAKEN = _code(
    "T108", "A parameter and a resource have the same name", "Rename one: Ref could not tell them apart."
)
NULL_VALUE = _code(
    "T109", "A value is missing", "Give a value, or remove the key; use !Ref AWS::NoValue to leave it out."
)
POLICY_FILE = _code(
    "T110",
    "The file is a policy, not a composition",
    "Set it with `tenuto policy set FILE`; only compositions are run.",
)
NOTHING_LEFT = _code(
    "T111",
    "Nothing is left to run",
    "Give parameters that leave a resource in; `tenuto kill` takes down what a process has.",
)
FOREIGN_FILE = _code("T112", "The file belongs to another tool", "Give Tenuto a CloudFormation template.")
NESTED_TEMPLATE = _code(
    "T113", "A nested template cannot be brought in", "Give the path of a local file as the TemplateURL."
)
NESTED_TOO_DEEP = _code("T114", "Templates nest too deeply", "Bring the resources of one of them in directly.")
NOT_INCLUDED = _code("T115", "A file cannot be included", "Give the path of a local file as the Location.")
PROGRAM_FAILED = _code(
    "T116", "The program gives no template", "Assign it to `template`, or return it from `def composition(parameters)`."
)

UNKNOWN_PARAMETER_TYPE = _code(
    "T201", "Unknown parameter type", "Use String, Number, CommaDelimitedList or an AWS type."
)
PARAMETER_WITHOUT_TYPE = _code("T202", "A parameter has no type", "Add a line such as `Type: String`.")
UNKNOWN_PARAMETER_KEY = _code("T203", "Unknown key in a parameter", "Remove it; notes go into Description.")
PARAMETER_WITHOUT_VALUE = _code(
    "T204", "A parameter has no value", "Give it with --parameter NAME=VALUE, or add a Default."
)
UNDECLARED_PARAMETER = _code(
    "T205", "A value is given for no parameter", "Check the spelling of the --parameter option."
)
VALUE_NOT_ALLOWED = _code("T206", "The value is not among the allowed ones", "Give one of AllowedValues.")
PATTERN_NOT_MATCHED = _code("T207", "The value does not match the pattern", "Give a value that matches AllowedPattern.")
VALUE_LENGTH = _code("T208", "The value is too short or too long", "Keep to MinLength and MaxLength.")
VALUE_RANGE = _code("T209", "The value is too small or too large", "Keep to MinValue and MaxValue.")
NOT_A_NUMBER = _code("T210", "The value is not a number", "Give a number, such as 80.")
BAD_CONSTRAINT = _code("T211", "A constraint of a parameter makes no sense", "Correct the constraint.")
WRONG_ID = _code("T212", "The value is an id of another kind", "Give the id of a thing of the parameter's type.")

UNKNOWN_FUNCTION = _code("T301", "Unknown function", "Use one of CloudFormation's intrinsic functions.")
WRONG_ARGUMENTS = _code("T302", "A function has the wrong arguments")
UNKNOWN_NAME = _code("T303", "Reference to an unknown name", "Refer to a parameter, a resource or a pseudo parameter.")
UNKNOWN_RESOURCE = _code("T304", "Attribute of an unknown resource", "Name a resource of this composition.")
UNKNOWN_ATTRIBUTE = _code("T305", "Unknown attribute", "Use an attribute that the resource type returns.")
BAD_SUBSTITUTION = _code(
    "T306", "A substitution in Fn::Sub is malformed", "Write ${Name}, ${Name.Attribute} or ${!Literal}."
)
NO_POSSIBLE_VALUE = _code("T307", "An expression can never have a value", "Correct the arguments of the function.")
FUNCTION_OUT_OF_PLACE = _code(
    "T308", "A function is not allowed here", "Declare it under Conditions and use Fn::If here."
)
FUNCTION_WITH_SIBLINGS = _code(
    "T309", "A function stands beside other keys", "A function must be the only key of its mapping."
)
LOOP_TOO_LARGE = _code(
    "T310", "The loops of the template make too much", "Split the composition in several, or shorten the lists."
)

UNKNOWN_CONDITION = _code("T401", "Unknown condition", "Declare it in the Conditions section.")
CIRCULAR_CONDITION = _code("T402", "Conditions depend on each other in a circle", "Break the circle.")
UNDECIDABLE = _code(
    "T403",
    "Something must be known at compile time and is not",
    "Use a parameter for it, and give its value with the command.",
)
UNKNOWN_MAPPING = _code("T404", "Unknown mapping", "Declare it in the Mappings section.")
UNKNOWN_MAP_KEY = _code(
    "T405", "The mapping has no such key", "Add the key to the mapping, or look up one that it has."
)
BAD_MAPPING = _code("T406", "A mapping is malformed", "A mapping has two levels of keys, then texts or lists of texts.")
LEFT_OUT = _code(
    "T407", "Reference to a resource that its condition leaves out", "Guard the reference by the same condition."
)
BAD_CONDITION = _code("T408", "A condition is malformed", "Compare something, as in `!Equals [!Ref Stage, prod]`.")
BAD_ASSERTION = _code(
    "T409",
    "A rule of the template is malformed",
    "A rule has Assertions, each with an Assert and an AssertDescription.",
)
ASSERTION_FAILED = _code("T410", "A rule of the template is not met", "Give values of parameters that meet the rule.")

RESOURCE_WITHOUT_TYPE = _code("T501", "A resource has no type", "Add a line such as `Type: AWS::EC2::VPC`.")
UNKNOWN_TYPE = _code("T502", "Unknown resource type", "Check the spelling; `tenuto types` lists the types.")
UNKNOWN_RESOURCE_KEY = _code("T503", "Unknown key in a resource", "Settings of the resource belong under Properties.")
UNKNOWN_PROPERTY = _code("T504", "Unknown property", "Remove it, or use a property that the type has.")
MISSING_PROPERTY = _code("T505", "A required property is missing", "Add the property.")
WRONG_TYPE = _code("T506", "A property has the wrong type")
NOT_IN_ENUM = _code("T507", "A property has a value that is not allowed")
PROPERTY_PATTERN = _code("T508", "A property does not match its pattern")
PROPERTY_RANGE = _code("T509", "A property is too small or too large")
PROPERTY_LENGTH = _code("T510", "A property is too short or too long")
READ_ONLY = _code("T511", "A property is read-only", "Remove it: the provider sets it. Read it with Fn::GetAtt.")
EXCLUSIVE = _code("T512", "Properties exclude each other", "Keep one of them.")
NO_ALTERNATIVE = _code("T513", "One of several properties is needed")
MISSING_COMPANION = _code("T514", "A property needs another one")
UNKNOWN_DEPENDENCY = _code("T515", "DependsOn names no resource", "Name a resource of this composition.")
CIRCULAR_DEPENDENCY = _code(
    "T516", "Resources depend on each other in a circle", "Break it, often by a resource of its own for the link."
)
BAD_POLICY = _code("T517", "Unknown deletion policy", "Use Delete, Retain, RetainExceptOnCreate or Snapshot.")
NOT_IN_REGION = _code("T518", "The resource type does not exist in this region", "Choose another region.")
NOT_A_NETWORK = _code("T519", "A property is not an address block", "Write it as ADDRESS/PREFIX, such as 10.0.0.0/16.")
NO_SNAPSHOT = _code("T520", "The resource type has no snapshots", "Use Delete or Retain.")
UNKNOWN_METADATA_KEY = _code("T521", "Unknown key in the metadata for Tenuto")
UNKNOWN_IGNORED_PATH = _code(
    "T522", "An ignored property does not exist", "Name a property of the type, a nested one with dots, or *."
)
VALIDATION_VIOLATED = _code(
    "T523", "A validation is violated", "Change the resource, or the validation if it asks for too much."
)
VALIDATION_BROKEN = _code(
    "T524",
    "A validation could not be evaluated",
    "Correct the validation: without it Tenuto cannot judge the composition.",
)
UNSHOWN_CHARACTER = _code(
    "T525", "A text holds a character that cannot be shown again", "Remove it; it is often a stray control character."
)
TABLE_KEYS = _code(
    "T526", "Attributes and keys of a table do not fit together", "Define the attributes of keys, and no others."
)
REFUSED_VALUE = _code("T527", "A property has a value that AWS refuses")
VALUES_DISAGREE = _code("T528", "Values of properties do not fit together", "Change one of them.")
UNACCEPTABLE_CODE = _code(
    "T529", "A problem that cannot be accepted", "Remove it from the list, and solve the problem."
)

OUTPUT_WITHOUT_VALUE = _code("T601", "An output has no value", "Add a Value.")
UNKNOWN_OUTPUT_KEY = _code(
    "T602", "Unknown key in an output", "An output has Value, Description, Condition and Export."
)
OUTPUT_NOT_TEXT = _code("T603", "An output is not text", "Join the items of a list with Fn::Join.")
DUPLICATE_EXPORT = _code("T604", "An export name is used twice", "Give each export a name of its own.")
EXPORT_OF_IMPORT = _code(
    "T605",
    "An export passes an import on",
    "Remove the Export, and import the value under its first name where it is used.",
)

NO_TRANSFORM = _code(
    "T701",
    "The transform is a program that Tenuto does not have",
    "Let CloudFormation expand it once: 'aws cloudformation create-change-set', then 'get-template --change-set-name … "
    "--template-stage Processed' writes the whole template; give that to Tenuto.",
)
FUNCTION_NOT_SUPPORTED = _code("T702", "The function is not supported", "Write the result of the function instead.")
TYPE_NOT_SUPPORTED = _code("T703", "The resource type cannot be run by Tenuto", "Declare the resources themselves.")
TYPE_NOT_MANAGED = _code(
    "T704", "The resource type is not managed by Tenuto yet", "`tenuto types` lists the types that are."
)
DYNAMIC_REFERENCE = _code("T705", "The dynamic reference is not supported", "Use a parameter with NoEcho and a Ref.")
PROPERTY_NOT_HELD = _code(
    "T710", "Tenuto does not manage the property", "Take it out of the composition, or set it with another tool."
)
NO_TRANSLATOR = _code(
    "T711", "The translator of AWS SAM is not installed", "Install it with: pip install 'tenuto[sam]'"
)
NOT_TRANSLATED = _code(
    "T712", "AWS SAM cannot translate the template", "Correct the resource as the documentation of AWS SAM says."
)
NOT_PACKAGED = _code(
    "T713",
    "A file on this machine is named where AWS needs it in a bucket",
    "Upload it first, with 'aws cloudformation package'.",
)
NOT_POSSIBLE = _code("T714", "The provider cannot have what is declared", "Correct the property.")

POLICY_IGNORED = _code(
    "T801", "A policy has no effect", "Remove it, or wait for readiness with a phase.", Severity.WARNING
)
RULES_IGNORED = _code(
    "T802",
    "A rule of the template is not checked",
    "Check it yourself, or express it as AllowedValues or AllowedPattern.",
    Severity.WARNING,
)
SECTION_IGNORED = _code("T803", "A section has no effect", "Remove it.", Severity.WARNING)
PATTERN_UNCHECKED = _code("T804", "A pattern cannot be checked", "Write it without this syntax.", Severity.WARNING)
UNUSED_VARIABLE = _code(
    "T805", "A variable of Fn::Sub is never used", "Remove it, or write it in the text.", Severity.WARNING
)
VALIDATION_WARNS = _code(
    "T806",
    "A validation warns",
    "Change the resource, or the validation if it asks for too much.",
    Severity.WARNING,
)
NOT_SUBSTITUTED = _code(
    "T807", "A name in a text is not replaced by its value", "Write !Sub before the text.", Severity.WARNING
)
NULL_FOR_REGION = _code(
    "T808", "Null is read as the region", "Write an empty text, or the name of a region.", Severity.WARNING
)
ASSERTION_KEY_IGNORED = _code("T809", "A key of an assertion is unknown", "Remove it.", Severity.WARNING)
REPEATED_KEY = _code("T810", "A key is written twice with the same value", "Remove one of them.", Severity.WARNING)
SHARED_ADDRESSES = _code(
    "T811", "Two subnets share addresses", "Declare addresses that no other subnet of the VPC has.", Severity.WARNING
)
RULE_TWICE = _code("T812", "A security group has a rule twice", "Declare it once.", Severity.WARNING)

BAD_DOCUMENT = _code("T901", "The compiled composition is malformed", "Compile it again with this version of Tenuto.")
WRONG_DIGEST = _code("T902", "The compiled composition was changed after it was compiled", "Compile it again.")
UNKNOWN_DOCUMENT_VERSION = _code(
    "T903", "The compiled composition has another version", "Use the same version of Tenuto."
)
DOCUMENT_TOO_LARGE = _code("T904", "The compiled composition is too large", "Split the composition in two.")

CODES: tuple[Code, ...] = tuple(value for value in list(globals().values()) if isinstance(value, Code))
"""The whole table, in the order above."""

ACCEPTABLE = (
    NOT_IN_ENUM,
    PROPERTY_PATTERN,
    PROPERTY_RANGE,
    PROPERTY_LENGTH,
    EXCLUSIVE,
    NO_ALTERNATIVE,
    MISSING_COMPANION,
    REFUSED_VALUE,
    VALUES_DISAGREE,
)
"""The problems that a resource of AWS may accept, whose rules can be newer than those of a release."""


def acceptable(type_name: str) -> tuple[str, ...]:
    """The codes of the problems that a composition may accept for a resource of this type."""
    return tuple(one.code for one in ACCEPTABLE) if type_name.startswith("AWS::") else ()
