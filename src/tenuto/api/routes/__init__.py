"""The requests that the API answers, as tables: their paths, their fields, and the right that each takes."""
