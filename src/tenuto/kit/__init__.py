"""Small tools without a domain word."""
