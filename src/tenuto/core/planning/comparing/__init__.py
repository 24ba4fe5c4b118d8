"""The comparison of what should be with what is: references, changes, differences, and the delta of a process."""
