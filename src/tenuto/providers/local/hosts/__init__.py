"""The Conductor's side of real hosts: their right to join, their orders, and their observations."""
