"""Objects that requests make: what a request may say, and what an object of its type then holds."""
