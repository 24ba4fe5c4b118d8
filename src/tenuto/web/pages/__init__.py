"""The pages: each is one view of the service, as the context of a template."""
