"""The Conductor's side of real hosts: who may join, what they are to do, and what they show."""
