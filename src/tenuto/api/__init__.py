"""The HTTP API: the service over HTTP, behind a secret."""

from tenuto.api.app import create_app

__all__ = ["create_app"]
