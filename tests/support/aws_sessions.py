"""Sessions of the SDK that read the settings of the test, and share the models of AWS's services."""

import botocore.session

from tenuto_testing.cloud.sessions import models


def open_session() -> botocore.session.Session:
    """A session of its own. A worker reads the model of EC2 once (a fifth of a second), and not for each test."""
    session = botocore.session.get_session()
    session.register_component("data_loader", models())
    return session
