"""The service: the requests of people and programs, whatever the front end. One room per subject, each on those below."""
