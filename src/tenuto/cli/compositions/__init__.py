"""Files with compositions: found, compiled, and placed in an account."""
