"""How notifications reach those who are told: one module for each kind of sink that is no provider's own."""
