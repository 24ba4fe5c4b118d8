"""The shapes of the answers of the API, one module for each subject. They are written with the parts in `words`."""
