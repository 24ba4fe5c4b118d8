"""The service: the requests of people and programs, whatever the front end. A room per subject, each on those below."""
