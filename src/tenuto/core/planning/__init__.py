"""Planning: from a snapshot to the plan: properties compared, operations chosen, ordered and put into waves."""
