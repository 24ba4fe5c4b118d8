"""Secrets that the provider keeps: `{{resolve:secretsmanager:…}}` and `{{resolve:ssm-secure:…}}` of a composition.

Theory of operation. They are looked up whenever a composition is accepted, at a run and at each update, as
CloudFormation does; a secret that is rotated in between is no drift. From then on they are like NoEcho parameters: the
composition keeps a fingerprint, the process the sealed value, and nothing else in Tenuto has to know where it came
from. So two updates with one file and one secret are the same composition, and after a rotation they are two.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from tenuto.compositions.documents.canonical import digest
from tenuto.compositions.documents.fingerprints import fingerprint
from tenuto.errors import UserError
from tenuto.model.composition import Composition, Parameter
from tenuto.model.ids import Json


@dataclass(frozen=True, slots=True, kw_only=True)
class Fetched:
    """A composition whose secrets are all known by their fingerprints, and those that were looked up for it."""

    composition: Composition
    secrets: Mapping[str, str]


def fetch_secrets(composition: Composition, look_up: Callable[[Sequence[str]], Mapping[str, Json]]) -> Fetched:
    """Look up the secrets that the provider keeps. Raises UserError when one is not there, ProviderError."""
    wanted = {name: one.lookup for name, one in sorted(composition.parameters.items()) if one.lookup and one.is_secret}
    if not wanted:
        return Fetched(composition=composition, secrets={})
    found = look_up(sorted(set(wanted.values())))
    missing = sorted(key for key in wanted.values() if not isinstance(found.get(key), str))
    if missing:
        told = ", ".join(f"{{{{{key}}}}}" for key in missing)
        raise UserError(
            f"The provider has no secret text for {told}. Create it there, with the member and the version that are "
            "named, or correct the reference."
        )
    secrets = {name: str(found[key]) for name, key in wanted.items()}
    known = {name: Parameter(name=name, fingerprint=fingerprint(name, value)) for name, value in secrets.items()}
    sealed = replace(composition, parameters={**composition.parameters, **known})
    return Fetched(composition=replace(sealed, digest=digest(sealed)), secrets=secrets)
