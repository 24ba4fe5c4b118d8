"""The comparison of declared and observed state: references, changes, differences, and the delta of a process."""
