"""The privileged side of a host: typed requests that change networks and machines, and nothing else."""
