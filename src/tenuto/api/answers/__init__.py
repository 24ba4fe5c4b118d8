"""The shapes of the answers of the API, one module for each subject. `words` are what they are written with."""
