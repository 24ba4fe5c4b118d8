"""The stores behind `ports.store`, and what lies beside them. `open` is the way in; nothing is imported before."""
