"""The shapes of what agents and the Conductor send each other. Both sides use them, and they use neither side."""
