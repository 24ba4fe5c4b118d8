"""Values only: the things that Tenuto talks about, with no behaviour beyond the knowledge of a value about itself.

Every other package imports these modules, and these import nothing but `kit` and `errors`. All types are frozen
dataclasses over tuples and read-only mappings, so that a value that was compared, planned, stored or shown cannot
change unnoticed.
"""
