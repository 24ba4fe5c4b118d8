"""Commands of this machine that need no Conductor: of a host, of a database file, of an emulated or simulated cloud."""
