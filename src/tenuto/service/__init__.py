"""The service: the requests of people and programs from all front ends. One room per subject, each on those below."""
