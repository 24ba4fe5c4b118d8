"""The machinery of resource types that are declared as data: the fields of a block are explained in `block`, its work
is here.
"""
