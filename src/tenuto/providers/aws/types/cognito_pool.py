"""AWS::Cognito::UserPool. Its Ref is its id.

An update resets a property that it is not given. So one that is not declared is sent again as it is shown, and the tags
with it, or an update of one property would take triggers away that a user set by hand.

Cognito settles for good by which names users sign in, and an attribute of users can neither change nor go. Another pool
would have other users, so such a change is refused, as CloudFormation refuses it, and nothing is replaced.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from tenuto.core.planning.equality.values import means_same
from tenuto.errors import PermanentError
from tenuto.kit.regions import aws_partition
from tenuto.model.ids import Json, JsonMap
from tenuto.model.resource import Comparison
from tenuto.providers.aws.blocks.block import block
from tenuto.providers.aws.blocks.calls import Call, Described, Listed, undeclared
from tenuto.providers.aws.blocks.parts import Plain, Shown
from tenuto.providers.aws.blocks.thing import Thing
from tenuto.providers.aws.blocks.wire import at, sent
from tenuto.providers.aws.kind import Work, texts
from tenuto.providers.aws.naming import KMS_KEY
from tenuto.providers.aws.types.cloud_control_model import is_sent_anew
from tenuto.providers.aws.types.named import Named
from tenuto.providers.aws.types.tag_calls import TagCalls

SERVICE = "cognito-idp"
_SCHEMA, _SETTLED = "Schema", "AliasAttributes UsernameAttributes UsernameConfiguration"
_MFA, _FACTORS = "MfaConfiguration", "EnabledMfas"
_TOLD = {
    _MFA: _MFA,
    "EmailAuthenticationMessage": "EmailMfaConfiguration.Message",
    "EmailAuthenticationSubject": "EmailMfaConfiguration.Subject",
    "WebAuthnFactorConfiguration": "WebAuthnConfiguration.FactorConfiguration",
    "WebAuthnRelyingPartyID": "WebAuthnConfiguration.RelyingPartyId",
    "WebAuthnUserVerification": "WebAuthnConfiguration.UserVerification",
}
"""The settings of second factors, each with its path in the call that shows them."""
_TEMPLATE = "VerificationMessageTemplate"
_MESSAGES = ("EmailVerificationMessage", "EmailVerificationSubject", "SmsVerificationMessage")
"""The properties that repeat members of the template: sent beside another template they are refused."""
_ADMIN, _OLD_DAYS = "AdminCreateUserConfig", "UnusedAccountValidityDays"


def _kept(declared: JsonMap, shown: JsonMap) -> JsonMap:
    """The part of a description that an update sends besides the declared properties."""
    found = {name: value for name, value in undeclared(declared, shown).items() if name not in _MESSAGES}
    if not declared.keys().isdisjoint(_MESSAGES):
        found.pop(_TEMPLATE, None)
    if _ADMIN in found:
        # It is shown, and refused beside the policy of passwords, which has a newer word for it.
        found[_ADMIN] = {name: value for name, value in found[_ADMIN].items() if name != _OLD_DAYS}
    return {"PoolName": shown["Name"], **found}


def _host(pool: JsonMap) -> str:
    """The name of the pool as a provider of identities."""
    region = str(pool["Id"]).partition("_")[0]
    return f"cognito-idp.{region}.{aws_partition(region).suffix}/{pool['Id']}"


def _refused(what: str) -> PermanentError:
    return PermanentError(
        f"Cognito settles {what} when it makes a user pool. Take the change back, or declare another pool, with users "
        "of its own, under another logical id.",
        code="InvalidRequest",
    )


@dataclass(frozen=True, kw_only=True)
class _SignIn(Shown):
    """The names by which users sign in."""

    @property
    def properties(self) -> frozenset[str]:
        return frozenset(_SETTLED.split())

    def read(self, thing: Thing) -> dict[str, Json]:
        return {name: thing.answer[name] for name in sorted(self.properties) if name in thing.answer}

    def at_birth(self, work: Work) -> dict[str, Json]:
        given = work.given(*sorted(self.properties))
        return sent(work.client.input_of(SERVICE, "CreateUserPool"), given, {})

    def prepare(self, work: Work, service: str, words: str) -> JsonMap | None:
        for name in sorted(self.properties):
            if work.differs(name):
                raise _refused(name)
        return None


@dataclass(frozen=True, kw_only=True)
class _UserAttributes(Shown):
    """The attributes of users. The standard ones are always there, and those of a pool's own have a word before their
    names. More can be added; one that is taken out of a composition stays."""

    @property
    def properties(self) -> frozenset[str]:
        return frozenset({_SCHEMA})

    def read(self, thing: Thing) -> dict[str, Json]:
        shown = thing.answer.get("SchemaAttributes")
        if shown is None:
            return {}
        return {_SCHEMA: [{**one, "Name": str(one["Name"]).rpartition("custom:")[2]} for one in shown]}

    def at_birth(self, work: Work) -> dict[str, Json]:
        return sent(work.client.input_of(SERVICE, "CreateUserPool"), work.given(_SCHEMA), {})

    def prepare(self, work: Work, service: str, words: str) -> JsonMap | None:
        for one in self._missing(work):
            if any(other["Name"] == one["Name"] for other in work.seen(_SCHEMA) or ()):
                raise _refused(f"the attribute {one['Name']} of users")
        return None

    def repair(self, work: Work, service: str, words: str) -> None:
        if missing := self._missing(work):
            shape = work.client.input_of(service, "AddCustomAttributes")
            given = sent(shape, {"CustomAttributes": missing}, {})
            work.change(service, "AddCustomAttributes", UserPoolId=work.id, **given)

    def _missing(self, work: Work) -> list[JsonMap]:
        if not work.differs(_SCHEMA):
            return []
        seen = work.seen(_SCHEMA) or ()
        return [one for one in work.want(_SCHEMA) if not any(means_same(one, other, {}) for other in seen)]

    def changes(self, service: str) -> Mapping[str, str]:
        return {_SCHEMA: f"{service}:AddCustomAttributes"}


@dataclass(frozen=True, kw_only=True)
class _Factors(Plain):
    """The second factors, which have calls of their own. The enabled ones are not told apart from the configuration for
    other messages: they are compared with the ones that were sent."""

    @property
    def properties(self) -> frozenset[str]:
        return frozenset({_FACTORS, *_TOLD})

    def read(self, thing: Thing) -> dict[str, Json]:
        shown = thing.client.read(thing.service, "GetUserPoolMfaConfig", UserPoolId=thing.id)
        found = {name: at(shown, path) for name, path in _TOLD.items()}
        return {name: value for name, value in found.items() if value is not None}

    def at_birth(self, work: Work) -> dict[str, Json]:
        """Messages by SMS are the one factor that the creation takes."""
        return work.given(_MFA) if work.want(_FACTORS) is None and work.want("SmsConfiguration") else {}

    def repair(self, work: Work, service: str, words: str) -> None:
        if is_sent_anew(work.request, _FACTORS) or any(work.differs(name) for name in sorted(_TOLD)):
            shown = work.read(service, "GetUserPoolMfaConfig", UserPoolId=work.id)
            work.change(service, "SetUserPoolMfaConfig", UserPoolId=work.id, **self._given(work, shown))

    def _given(self, work: Work, shown: JsonMap) -> dict[str, Json]:
        found: dict[str, Json] = {_MFA: work.want(_MFA) or shown.get(_MFA)}
        for name, path in _TOLD.items():
            holder, _, member = path.rpartition(".")
            if holder and (value := work.want(name)) is not None:
                found[holder] = {**(shown.get(holder) or {}), **found.get(holder, {}), member: value}
        if found[_MFA] == "OFF":
            # Cognito refuses factors beside it.
            return {name: value for name, value in found.items() if name in (_MFA, "WebAuthnConfiguration")}
        return {**self._enabled(work, shown), **found}

    def _enabled(self, work: Work, shown: JsonMap) -> dict[str, Json]:
        names = ("EmailMfaConfiguration", "SmsMfaConfiguration", "SoftwareTokenMfaConfiguration")
        there = {name: shown[name] for name in names if shown.get(name)}
        if work.want(_FACTORS) is None:
            by_sms = work.want("SmsConfiguration")
            return {**({"SmsMfaConfiguration": {"SmsConfiguration": by_sms}} if by_sms else {}), **there}
        wanted = texts(work.want(_FACTORS))
        found: dict[str, Json] = {"SoftwareTokenMfaConfiguration": {"Enabled": "SOFTWARE_TOKEN_MFA" in wanted}}
        if "SMS_MFA" in wanted:
            given = work.given("SmsAuthenticationMessage", "SmsConfiguration")
            found["SmsMfaConfiguration"] = {**there.get("SmsMfaConfiguration", {}), **given}
        if "EMAIL_OTP" in wanted:
            found["EmailMfaConfiguration"] = there.get("EmailMfaConfiguration", {})
        return found

    def changes(self, service: str) -> Mapping[str, str]:
        return dict.fromkeys((_FACTORS, *_TOLD), f"{service}:SetUserPoolMfaConfig+")


POOL = block(
    "AWS::Cognito::UserPool",
    SERVICE,
    key="UserPoolId",
    listed=Listed(operation="ListUserPools", id="Id", size=60),
    described=Described(call=Call("DescribeUserPool"), at="UserPool"),
    # Several pools may have one name.
    named=Named("UserPoolName", 128),
    beside=Listed(operation="ListUserPools", id="Id", size=60),
    create="CreateUserPool",
    made="UserPool.Id",
    renamed={"UserPoolName": "PoolName"},
    shown={"UserPoolName": "Name"},
    attributes={"ProviderName": _host, "ProviderURL": lambda pool: f"https://{_host(pool)}", "UserPoolId": "$id"},
    modify={Call("UpdateUserPool", fills=_kept): "*"},
    parts=(_SignIn(), _UserAttributes(), _Factors()),
    delete="DeleteUserPool",
    tags=TagCalls(
        service=SERVICE,
        id_name="ResourceArn",
        named=lambda _, shown: shown["Arn"],
        shown_at="UserPoolTags",
        declared_as="UserPoolTags",
        is_mapping=True,
    ),
    named_by="",
    compare_as={
        "AccountRecoverySetting.RecoveryMechanisms": Comparison.SET,
        "AliasAttributes": Comparison.SET,
        "AutoVerifiedAttributes": Comparison.SET,
        "LambdaConfig.KMSKeyID": KMS_KEY,
        "Policies.SignInPolicy.AllowedFirstAuthFactors": Comparison.SET,
        _SCHEMA: Comparison.MEMBERS,
        "UserAttributeUpdateSettings.AttributesRequireVerificationBeforeUpdate": Comparison.SET,
        "UsernameAttributes": Comparison.SET,
    },
    defaults={
        "AutoVerifiedAttributes": [],
        "DeletionProtection": "INACTIVE",
        "DeviceConfiguration": None,
        "LambdaConfig": None,
        _MFA: "OFF",
    },
    bears_data=True,
)
TYPES = (POOL,)
