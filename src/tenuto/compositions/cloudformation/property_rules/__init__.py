"""Rules about the properties of a type that its published schema does not have, as data."""
