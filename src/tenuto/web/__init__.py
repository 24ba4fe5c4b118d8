"""The dashboard: the service as pages for people, rendered on the server, usable without JavaScript."""

from tenuto.web.app import create_site

__all__ = ["create_site"]
