"""The AWS provider, on botocore.

    provider.py    the port: bulk in, one outcome per item out
    client.py        every call to one account and region passes here; pages, retries, rates, operation records
    faults.py      the meaning of an AWS error: try again, give up, or gone
    owner.py       ownership tags, and the tags that no composition declares
    kind.py        the content of a type's block: facts, where it is seen, how it is made, changed and deleted
    types/         one declarative block per resource type

A new resource type is one block in `types/` and one line in `types/catalogue.py`.
"""
