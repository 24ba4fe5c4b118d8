"""A cloud in memory: strict where real ones are strict, slow where they are slow, and faulty on request.

types      one block per resource type
things     the things that exist, and what of them can be seen at a moment
checks     what the cloud refuses
cloud      making, changing and deleting one thing, and what an outsider does behind our back
faults     the faults that were ordered
provider   all of it behind the provider port
"""
