"""The machinery of resource types that are declared as data: what a block says is in `block`, what it does is here."""
