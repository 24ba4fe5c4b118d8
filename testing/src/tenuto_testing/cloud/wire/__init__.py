"""AWS's wire protocols, driven by botocore's service models."""
