"""The local cloud: networks, interfaces and machines on hosts of one's own."""
