"""The client of one account: sessions, guarded calls, checked answers, and faults in words that say who must act."""
