"""One function per request: from a call to the document that answers it."""
