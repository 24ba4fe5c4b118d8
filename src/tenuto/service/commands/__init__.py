"""Commands: what people ask of processes, the plan that they are shown first, and the agreement of others."""
