"""The paths of pages of the dashboard: for its own links, and for links to it from elsewhere."""

from urllib.parse import quote, urlencode


def page_url(*parts: object, **query: object) -> str:
    """A path of the site from its parts, each of which may hold anything, and a query string of the values that are not
    empty."""
    path = "/" + "/".join(quote(str(part), safe="") for part in parts)
    given = {name: str(value) for name, value in query.items() if value not in ("", None, ())}
    return f"{path}?{urlencode(given)}" if given else path
