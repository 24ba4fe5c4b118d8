"""Commands: the orders of people to processes, the plan that is shown first, and the agreement of other users."""
