"""Templates that another program rewrites or writes: the CDK, SAM, packages and includes."""
