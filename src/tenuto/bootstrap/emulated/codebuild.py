"""Updates, webhooks and the visibility of CodeBuild, and the properties of a project that moto does not keep."""

import json
from collections.abc import Sequence
from typing import Any

from moto.codebuild.exceptions import ResourceNotFoundException
from moto.codebuild.responses import CodeBuildResponse
from moto.utilities.utils import get_partition

from tenuto.bootstrap.emulated.added import added


def _project(self: Any, name: str) -> dict[str, Any]:
    found = self.codebuild_backend.codebuild_projects.get(name)
    if found is None:
        raise ResourceNotFoundException(f"Project cannot be found: {name}")
    project: dict[str, Any] = found.project_metadata
    return project


def _kept(project: dict[str, Any], sent: dict[str, Any]) -> dict[str, Any]:
    """A project with all that was sent: moto leaves some of it out."""
    sent = _with_role(project["arn"].split(":"), sent)
    project |= {name: value for name, value in sent.items() if name not in {"name", "badgeEnabled"}}
    project["badge"] = {"badgeEnabled": sent.get("badgeEnabled", project["badge"]["badgeEnabled"])}
    return {"project": project}


def _with_role(arn: Sequence[str], sent: dict[str, Any]) -> dict[str, Any]:
    """Return the same, with the ARN of a role that is named: AWS shows no other spelling."""
    role = sent.get("serviceRole", "arn:")
    return sent if role.startswith("arn:") else {**sent, "serviceRole": f"arn:{arn[1]}:iam::{arn[4]}:role/{role}"}


_PLACELESS = ("CODEPIPELINE", "NO_SOURCE")
_create_project = CodeBuildResponse.create_project


def _create(self: Any, sent: dict[str, Any]) -> dict[str, Any]:
    sent = _with_role(["arn", get_partition(self.region), "", "", self.current_account], sent)
    self.body = json.dumps(sent)
    if sent["source"]["type"] in _PLACELESS or sent["artifacts"]["type"] in _PLACELESS:
        # moto asks for a place where AWS knows none, and takes none with NO_ARTIFACTS.
        names = [name for name in ("source", "artifacts") if sent[name]["type"] != "NO_ARTIFACTS"]
        self.body = json.dumps({**sent, **{name: {"location": "-", **sent[name]} for name in names}})
    _create_project(self)
    return _kept(_project(self, sent["name"]), sent)


def _set_webhook(self: Any, sent: dict[str, Any]) -> dict[str, Any]:
    project = _project(self, sent["projectName"])
    about = {name: value for name, value in sent.items() if name != "projectName"}
    project["webhook"] = {**project.get("webhook", {}), **about}
    return {"webhook": project["webhook"]}


def _drop_webhook(self: Any, sent: dict[str, Any]) -> dict[str, Any]:
    if _project(self, sent["projectName"]).pop("webhook", None) is None:
        raise ResourceNotFoundException("the project has no webhook")
    return {}


def _set_visibility(self: Any, sent: dict[str, Any]) -> dict[str, Any]:
    project = _project(self, sent["projectArn"].rpartition("/")[2])
    project |= {name: value for name, value in sent.items() if name != "projectArn"}
    return {name: sent[name] for name in ("projectArn", "projectVisibility")}


def add() -> None:
    """Add the calls."""
    added(
        CodeBuildResponse,
        create_project=_create,
        update_project=lambda self, sent: _kept(_project(self, sent["name"]), sent),
        create_webhook=_set_webhook,
        update_webhook=_set_webhook,
        delete_webhook=_drop_webhook,
        update_project_visibility=_set_visibility,
    )
