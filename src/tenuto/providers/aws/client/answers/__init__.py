"""Answers of AWS: checked, understood, and read only where they are new."""
