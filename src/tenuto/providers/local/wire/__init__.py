"""The shapes of the messages between agents and the Conductor. Both sides use them, and they use neither side."""
