"""A cloud in memory: strict where real ones are strict, slow where they are slow, and faulty on request.

types      one block per resource type
things     the things that exist, and the parts of them that can be seen at a moment
checks     the refusals of the cloud
cloud      making, changing and deleting one thing, and the acts of an outsider behind our back
faults     the faults that were ordered
provider   all of it behind the provider port
"""
