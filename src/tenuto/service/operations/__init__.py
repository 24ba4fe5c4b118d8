"""The operation of a Conductor: the doctor, its numbers, its settings, and who is told of events."""
