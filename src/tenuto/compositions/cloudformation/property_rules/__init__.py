"""Rules about properties that the published schema of a type does not have."""
