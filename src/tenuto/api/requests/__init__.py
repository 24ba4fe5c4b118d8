"""A request as handlers and tables know it, with nothing of HTTP left in it, and the answer to one that is refused."""
