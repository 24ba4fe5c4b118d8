"""The phases of every managed resource: create, await, configure, delete, adopt and release through a provider."""
