"""Problems of a text: each has a code, a place and an advice, and all are told together."""
